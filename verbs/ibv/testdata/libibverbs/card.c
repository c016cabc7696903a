/* The kinds of cards that the device can be like, and faults. */
#include "stub.h"

int connectx;
enum fault fault;

static const char *const faults[] = {
	[WRONG_DATA] = "data", [LOST_COMPLETION] = "completion", [WRONG_STATUS] = "status", [LOST_EVENT] = "event", [WRONG_STATE] = "state",
};

void set_card(void)
{
	const char *name = getenv("STUB_FAULT");

	connectx = number("STUB_CONNECTX", 0);
	for (size_t i = 1; name && i < sizeof faults / sizeof *faults; i++)
		if (!strcmp(name, faults[i]))
			fault = i;
}

int every(unsigned n)
{
	static unsigned count;

	return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) % n == 0;
}

int has_type(uint32_t type) { return number("STUB_TYPES", UINT32_MAX) >> type & 1; }

void identify(struct abi_device_attr *a)
{
	if (!connectx)
		return;
	strcpy(a->fw_ver, "28.39.2048");
	a->vendor_id = 0x2c9;
	a->vendor_part_id = 4129; /* ConnectX-7 */
}

/* A ConnectX compares the consumer index of the arm with its own. */
int holds_armed(const struct cqs *s)
{
	for (uint32_t i = s->out; connectx && i != s->in; i++)
		if (s->armed == ALL || s->cqe[i & (s->ring - 1)].solicited)
			return 1;
	return 0;
}

/* The environment variables. */
#include "stub.h"

extern char **environ;

long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 0) : otherwise;
}

int knobs(void)
{
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, "STUB_", 5) && strncmp(*e, "STUB_SHARED=", 12))
			return 1;
	return 0;
}

/* failure returns the errno with which a call must fail, or 0. */
static int failure(const char *call)
{
	const char *at = getenv("STUB_FAIL");
	size_t length = strlen(call);

	if (at && *at >= '0' && *at <= '9')
		return atoi(at);
	while (at && *at) {
		if (!strncmp(at, call, length) && at[length] == ':')
			return atoi(at + length + 1);
		at = strchr(at, ',');
		at += at != NULL;
	}
	return 0;
}

int result(const char *call)
{
	int err = failure(call);

	errno = err;
	return err ? -1 : (int)number("STUB_RETURN", 0);
}

void *object(const char *call, size_t size)
{
	errno = failure(call);
	return errno ? NULL : calloc(1, size);
}

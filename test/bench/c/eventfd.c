/* eventfd CPU ROUNDS: two processes wake each other by eventfds, one on the CPU where it was
 * started, the other on CPU. It prints the median of half the round trip in ns. */
#include "turns.h"
#include <sys/eventfd.h>
#include <unistd.h>

static int ping, pong;

static void wake(int fd)
{
	uint64_t one = 1;
	check(write(fd, &one, sizeof one) == sizeof one, "write an eventfd");
}

static void await(int fd)
{
	uint64_t n;
	check(read(fd, &n, sizeof n) == sizeof n, "read an eventfd");
}

static void answer(uint64_t turn)
{
	(void)turn;
	await(ping);
	wake(pong);
}

static void ask(uint64_t turn)
{
	(void)turn;
	wake(ping);
	await(pong);
}

int main(int argc, char **argv)
{
	check_arguments(argc, 2);
	check((ping = eventfd(0, 0)) >= 0 && (pong = eventfd(0, 0)) >= 0, "make an eventfd");
	take_turns(atoi(argv[1]), atol(argv[2]), ask, answer);
}

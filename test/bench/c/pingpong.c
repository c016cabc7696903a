/* pingpong CPU ROUNDS: two processes spin on a word each in shared memory, which the other one writes. One is
 * on the CPU where it was started, the other on CPU. It prints the median of half the round trip in ns. */
#include "turns.h"
#include <sys/mman.h>

static struct {
	_Alignas(128) volatile uint64_t ping;
	_Alignas(128) volatile uint64_t pong;
} *words;

static void answer(uint64_t turn)
{
	while (words->ping != turn)
		;
	words->pong = turn;
}

static void ask(uint64_t turn)
{
	words->ping = turn;
	while (words->pong != turn)
		;
}

int main(int argc, char **argv)
{
	check_arguments(argc, 2);
	words = mmap(NULL, sizeof *words, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(words != MAP_FAILED, "map shared memory");
	take_turns(atoi(argv[1]), atol(argv[2]), ask, answer);
}

/* memcpy SIZE SLOTS COPIES: one thread copies messages of SIZE bytes from a ring of SLOTS
 * messages in shared memory to another one. It prints bytes per second. */
#include "copies.h"

static void copy(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
}

int main(int argc, char **argv)
{
	check_arguments(argc, 3);
	size_t count = atol(argv[3]);
	struct rings r = make_rings(atol(argv[1]), atol(argv[2]));

	speed(&r, copy, count / 10);
	printf("%.0f bytes/s\n", speed(&r, copy, count));
}

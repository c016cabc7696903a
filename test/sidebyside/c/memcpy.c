/* memcpy SIZE SLOTS COPIES: how fast one thread copies messages of SIZE bytes from one
 * shared memory of SLOTS messages to another, going round. Prints bytes per second. */
#include "bare.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *memory(size_t bytes)
{
	int fd = memfd_create("memcpy", 0);
	check(fd >= 0 && ftruncate(fd, bytes) == 0, "make a memfd");
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(p != MAP_FAILED, "map a memfd");
	memset(p, 1, bytes);
	return p;
}

static void copy(char *to, const char *from, size_t size, size_t slots, size_t count)
{
	for (size_t i = 0, slot = 0; i < count; i++) {
		memcpy(to + slot * size, from + slot * size, size);
		__asm__ volatile("" ::: "memory"); /* every copy is made */
		slot = slot + 1 == slots ? 0 : slot + 1;
	}
}

int main(int argc, char **argv)
{
	need(argc, 3);
	size_t size = atol(argv[1]), slots = atol(argv[2]), count = atol(argv[3]);
	char *from = memory(size * slots), *to = memory(size * slots);

	copy(to, from, size, slots, count / 10);
	double start = now();
	copy(to, from, size, slots, count);
	printf("%.0f bytes/s\n", size * count / (now() - start));
}

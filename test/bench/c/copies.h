/* Functions of the programs that copy. */
#include "bare.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void copier(char *to, const char *from, size_t size);

static inline char *memory(size_t bytes)
{
	int fd = memfd_create("copies", 0);
	check(fd >= 0 && ftruncate(fd, bytes) == 0, "make a memfd");
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(p != MAP_FAILED, "map a memfd");
	memset(p, 1, bytes);
	return p;
}

/* Two rings of slots of size bytes: messages are copied from one to the other. */
struct rings {
	char *from, *to;
	size_t size, slots;
};

static inline struct rings make_rings(size_t size, size_t slots)
{
	struct rings r = {memory(size * slots), memory(size * slots), size, slots};
	return r;
}

/* speed returns the bytes per second of count copies. */
static inline double speed(const struct rings *r, copier *copy, size_t count)
{
	double start = now();
	for (size_t i = 0, slot = 0; i < count; i++) {
		copy(r->to + slot * r->size, r->from + slot * r->size, r->size);
		__asm__ volatile("" ::: "memory"); /* the compiler keeps every copy */
		slot = slot + 1 == r->slots ? 0 : slot + 1;
	}
	return r->size * count / (now() - start);
}

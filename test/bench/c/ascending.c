/* ascending SIZE SLOTS COPIES: as memcpy, but each copy is stored from the lowest address to
 * the highest, by plain aligned stores of the widest vectors that this CPU has. It measures
 * with and without prefetching and prints the faster one. SIZE is a multiple of 128. */
#include "copies.h"
#include <immintrin.h>

#define AHEAD 3072 /* bytes that are prefetched ahead */

/* COPY defines a copy by vectors of a type, V of them for 128 bytes. */
#define COPY(name, isa, vector, load, store, ahead)                                            \
	__attribute__((target(isa))) static void name(char *to, const char *from, size_t size) \
	{                                                                                      \
		enum { V = 128 / sizeof(vector) };                                             \
		for (const char *end = from + size; from < end; from += 128, to += 128) {      \
			vector v[V];                                                           \
			if (ahead)                                                             \
				for (int line = 0; line < 128; line += 64) {                   \
					__builtin_prefetch(from + AHEAD + line, 0);            \
					__builtin_prefetch(to + AHEAD + line, 1);              \
				}                                                              \
			_Pragma("GCC unroll 8") for (int i = 0; i < V; i++)                    \
				v[i] = load((const vector *)from + i);                         \
			_Pragma("GCC unroll 8") for (int i = 0; i < V; i++) {                  \
				store((vector *)to + i, v[i]);                                 \
				__asm__ volatile("" ::: "memory"); /* in this order */         \
			}                                                                      \
		}                                                                              \
	}

COPY(by64, "avx512f", __m512i, _mm512_loadu_si512, _mm512_store_si512, 0)
COPY(by64ahead, "avx512f,prfchw", __m512i, _mm512_loadu_si512, _mm512_store_si512, 1)
COPY(by32, "avx", __m256i, _mm256_loadu_si256, _mm256_store_si256, 0)
COPY(by32ahead, "avx,prfchw", __m256i, _mm256_loadu_si256, _mm256_store_si256, 1)
COPY(by16, "sse2", __m128i, _mm_loadu_si128, _mm_store_si128, 0)
COPY(by16ahead, "sse2,prfchw", __m128i, _mm_loadu_si128, _mm_store_si128, 1)

int main(int argc, char **argv)
{
	check_arguments(argc, 3);
	size_t count = atol(argv[3]);
	struct rings r = make_rings(atol(argv[1]), atol(argv[2]));
	copier *copy = by16, *other = by16ahead;
	if (__builtin_cpu_supports("avx512f"))
		copy = by64, other = by64ahead;
	else if (__builtin_cpu_supports("avx"))
		copy = by32, other = by32ahead;

	speed(&r, copy, count / 20 + 1);
	if (speed(&r, other, count / 20 + 1) > speed(&r, copy, count / 20 + 1))
		copy = other;
	printf("%.0f bytes/s\n", speed(&r, copy, count));
}

/* Every function that this package looks up in libibverbs, for those that fake.c lacks. */
#include <stdlib.h>

#include "../library.h"

#define ABSENT(result, name, parameters, arguments) \
	__attribute__((weak)) void ibv_##name(void) { abort(); }
LIBIBVERBS(ABSENT)

void _ibv_query_gid_ex(void) { abort(); }
void _ibv_query_gid_table(void) { abort(); }

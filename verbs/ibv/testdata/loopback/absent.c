/* What the loopback device does not have: to call it ends the process. */
#include "../../library.h"

#include <stdlib.h>

#define ABSENT(result, name, parameters, arguments) \
	__attribute__((weak)) result ibv_##name parameters { abort(); }
LIBIBVERBS(ABSENT)

void _ibv_query_gid_ex(void) { abort(); }
void _ibv_query_gid_table(void) { abort(); }

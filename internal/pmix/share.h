// What share.c does for share_unsafe.go.
#include <stddef.h>

#define SHARE_DONE 0
#define SHARE_NO_LIBRARY 1
#define SHARE_FAILED 2

struct shared {
	char value[1024];
	char problem[512];
};

// share_value puts a value as the root of the job, waits for all other processes, and gets the root's value.
int share_value(struct shared *s, int is_root, const char *key, const char *value);

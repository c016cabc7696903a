#include "share.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// What is used of the PMIx standard, versions 2 to 5.
enum { PMIX_SUCCESS = 0, PMIX_STRING = 3, PMIX_GLOBAL = 3 };

struct proc {
	char nspace[256];
	uint32_t rank;
};

struct value {
	uint16_t type;
	union {
		char *string;
		char room[56]; // more than any version's largest member
	} data;
};

struct library {
	int (*init)(struct proc *, void *info, size_t infos);
	int (*put)(uint8_t scope, const char *key, struct value *);
	int (*commit)(void);
	int (*fence)(const struct proc *, size_t procs, const void *info, size_t infos);
	int (*get)(const struct proc *, const char *key, const void *info, size_t infos, struct value **);
	int (*finalize)(const void *info, size_t infos);
	const char *(*text)(int);
};

static int load(struct library *l, char *problem, size_t size)
{
	void *handle = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(problem, size, "open the library: %s", dlerror());
		return SHARE_NO_LIBRARY;
	}
	struct { const char *name; void *at; } all[] = {
		{"PMIx_Init", &l->init}, {"PMIx_Put", &l->put}, {"PMIx_Commit", &l->commit}, {"PMIx_Fence", &l->fence},
		{"PMIx_Get", &l->get}, {"PMIx_Finalize", &l->finalize}, {"PMIx_Error_string", &l->text},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		void *symbol = dlsym(handle, all[i].name);
		if (!symbol) {
			snprintf(problem, size, "libpmix.so.2 has no %s", all[i].name);
			return SHARE_NO_LIBRARY;
		}
		memcpy(all[i].at, &symbol, sizeof symbol);
	}
	return SHARE_DONE;
}

int share_value(struct shared *s, int is_root, const char *name, const char *value)
{
	struct library l;
	struct proc me;
	struct value mine = {PMIX_STRING}, *found = NULL;
	char key[512] = ""; // the library may read all of it
	const char *call = "PMIx_Init";
	int rc = load(&l, s->problem, sizeof s->problem);
	if (rc != SHARE_DONE)
		return rc;
	strncpy(key, name, sizeof key - 1);
	memset(&me, 0, sizeof me);
	rc = l.init(&me, NULL, 0);
	if (rc != PMIX_SUCCESS)
		goto failed;
	mine.data.string = (char *)value;
	if (is_root) {
		call = "PMIx_Put";
		rc = l.put(PMIX_GLOBAL, key, &mine);
		if (rc == PMIX_SUCCESS) {
			call = "PMIx_Commit";
			rc = l.commit();
		}
	}
	if (rc == PMIX_SUCCESS) {
		call = "PMIx_Fence";
		rc = l.fence(NULL, 0, NULL, 0);
	}
	if (rc == PMIX_SUCCESS) {
		struct proc root = me;
		root.rank = 0;
		call = "PMIx_Get";
		rc = l.get(&root, key, NULL, 0, &found);
	}
	if (rc == PMIX_SUCCESS && (!found || found->type != PMIX_STRING || strlen(found->data.string) >= sizeof s->value)) {
		snprintf(s->problem, sizeof s->problem, "PMIx_Get has no string of less than %zu characters", sizeof s->value);
		l.finalize(NULL, 0);
		return SHARE_FAILED;
	}
	if (rc == PMIX_SUCCESS)
		strcpy(s->value, found->data.string); // the few bytes of found stay: how they are freed depends on the version
	int ended = l.finalize(NULL, 0);
	if (rc == PMIX_SUCCESS && ended != PMIX_SUCCESS) {
		call = "PMIx_Finalize";
		rc = ended;
	}
	if (rc == PMIX_SUCCESS)
		return SHARE_DONE;
failed:
	snprintf(s->problem, sizeof s->problem, "%s: status %d: %s", call, rc, l.text(rc));
	return SHARE_FAILED;
}

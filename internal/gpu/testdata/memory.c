/* Memory of a GPU, for the libraries of tests. */
#include <fcntl.h>
#include <sys/mman.h>

/* fails reports whether a test wants a call to fail. */
static int fails(const char *call)
{
	const char *name = getenv("STUB_GPU_FAIL");

	return name && !strcmp(name, call);
}

/* new_memory returns the descriptor of new memory. */
static int new_memory(size_t size)
{
	int fd = memfd_create("gpu", MFD_CLOEXEC);
	char *at;

	if (fd < 0 || ftruncate(fd, size))
		return -1;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -1;
	if (getenv("STUB_GPU_FILL"))
		memset(at, atoi(getenv("STUB_GPU_FILL")), size);
	munmap(at, size);
	return fd;
}

/* free_memory frees memory, and first writes it to the file of STUB_GPU_DUMP. */
static void free_memory(int fd)
{
	const char *path = getenv("STUB_GPU_DUMP");
	char part[4096];
	ssize_t n;
	int out;

	if (path && (out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666)) >= 0) {
		for (off_t at = 0; (n = pread(fd, part, sizeof part, at)) > 0; at += n)
			if (write(out, part, n) != n)
				break;
		close(out);
	}
	close(fd);
}

package sched

import "golang.org/x/sys/unix"

// CPUs is a set of CPUs.
type CPUs = unix.CPUSet

// Affinity returns the CPUs that a thread may run on; thread 0 is the calling one.
//
//	int sched_getaffinity(pid_t pid, size_t cpusetsize, cpu_set_t *mask)
func Affinity(tid int) (set CPUs, err error) { return set, unix.SchedGetaffinity(tid, &set) }

// SetAffinity keeps a thread on CPUs; thread 0 is the calling one.
//
//	int sched_setaffinity(pid_t pid, size_t cpusetsize, const cpu_set_t *mask)
func SetAffinity(tid int, set CPUs) error { return unix.SchedSetaffinity(tid, &set) }

// Yield gives the CPU to another thread that waits for it.
//
//	int sched_yield(void)
func Yield() { unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// Sleep lets the calling thread sleep for some nanoseconds; a signal may cut that short.
//
//	int nanosleep(const struct timespec *req, struct timespec *rem)
func Sleep(ns int64) {
	ts := unix.NsecToTimespec(ns)
	_ = unix.Nanosleep(&ts, nil)
}

// ThreadID is the calling thread's.
//
//	pid_t gettid(void)
func ThreadID() int { return unix.Gettid() }

// Switches returns how often the calling thread has lost its CPU to others, and how often
// it has given it away to wait.
//
//	int getrusage(RUSAGE_THREAD, struct rusage *usage)
func Switches() (lost, waits int64) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0, 0 // every Linux since 2.6.26 counts them
	}
	return u.Nivcsw, u.Nvcsw
}

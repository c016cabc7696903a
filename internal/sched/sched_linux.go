package sched

import "golang.org/x/sys/unix"

// CPUs is a set of CPUs.
type CPUs = unix.CPUSet

// Affinity returns the CPUs that a thread may run on; thread 0 is the calling one.
//
//	int sched_getaffinity(pid_t pid, size_t cpusetsize, cpu_set_t *mask)
func Affinity(tid int) (set CPUs, err error) { return set, unix.SchedGetaffinity(tid, &set) }

// SetAffinity restricts a thread to CPUs; thread 0 is the calling one.
//
//	int sched_setaffinity(pid_t pid, size_t cpusetsize, const cpu_set_t *mask)
func SetAffinity(tid int, set CPUs) error { return unix.SchedSetaffinity(tid, &set) }

// SetBatch gives a thread the policy SCHED_BATCH: it does not preempt a thread when it wakes.
//
//	int sched_setattr(pid_t pid, struct sched_attr *attr, unsigned int flags)
func SetBatch(tid int) error {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return err
	}
	attr.Policy = unix.SCHED_BATCH
	return unix.SchedSetAttr(tid, attr, 0)
}

// Yield gives the CPU to another runnable thread.
//
//	int sched_yield(void)
func Yield() { unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// Sleep suspends the calling thread for a number of nanoseconds; a signal may end it early.
//
//	int nanosleep(const struct timespec *req, struct timespec *rem)
func Sleep(ns int64) {
	ts := unix.NsecToTimespec(ns)
	_ = unix.Nanosleep(&ts, nil)
}

// ThreadID returns the id of the calling thread.
//
//	pid_t gettid(void)
func ThreadID() int { return unix.Gettid() }

// Switches returns the numbers of involuntary and voluntary context switches of the calling thread.
//
//	int getrusage(RUSAGE_THREAD, struct rusage *usage)
func Switches() (lost, waits int64) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0, 0 // Linux has RUSAGE_THREAD since 2.6.26
	}
	return u.Nivcsw, u.Nvcsw
}

package sched

// SetOf returns a set of CPUs.
func SetOf(cpus ...int) (set CPUs) {
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return set
}

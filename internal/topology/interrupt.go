package topology

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Interrupt is the interrupt of a completion vector.
type Interrupt struct {
	Number int
	List   string // of the CPUs, one of which the kernel interrupts: "0-15,32-47"
	CPUs   []int
}

// vectorName matches the name of an interrupt of a completion vector, with the number of the vector: those of mlx5
// (irq_set_name), EFA (efa_setup_comp_irq) and irdma (irdma_cfg_ceq_vector). Other drivers name their interrupts
// otherwise, or assign queues to them by load.
var vectorName = regexp.MustCompile(`(?:mlx5_comp|efa-comp|irdma-\S+-CEQ-)(\d+)(?:@|\s|$)`)

// InterruptOf returns the interrupt of a completion vector of an RDMA device, and whether it is known.
func InterruptOf(root fs.FS, name string, vector int) (i Interrupt, known bool) {
	at := function(root, name)
	entries, err := fs.ReadDir(root, path.Join(at, "msi_irqs"))
	if at == "" || err != nil {
		return i, false
	}
	var own []string
	for _, e := range entries {
		own = append(own, e.Name())
	}
	for line := range strings.Lines(text(root, "proc/interrupts")) {
		number, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		m := vectorName.FindStringSubmatch(line)
		if m == nil || m[1] != strconv.Itoa(vector) || !slices.Contains(own, number) {
			continue
		}
		i.Number, err = strconv.Atoi(number)
		i.List, i.CPUs = interruptCPUs(root, number)
		return i, err == nil && len(i.CPUs) > 0
	}
	return i, false
}

// interruptCPUs returns the CPUs that an interrupt goes to: those that the kernel has chosen, else those that it may
// choose.
func interruptCPUs(root fs.FS, number string) (list string, cpus []int) {
	for _, file := range []string{"effective_affinity_list", "smp_affinity_list"} {
		list = text(root, path.Join("proc/irq", number, file))
		if cpus = parseList(list); len(cpus) > 0 {
			return list, cpus
		}
	}
	return "", nil
}

package topology

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// machine describes CPUs by the lists of those that share a core, a cache of a level, a package.
type machine struct {
	cores, packages []string
	caches          map[string][]string // "2 Unified": lists of the CPUs that share such a cache
	old             bool                // names of files before Linux 5.2
}

// sysfs returns the files that the kernel has for the machine's online CPUs.
func (m machine) sysfs(cpus int) fs.FS {
	files := fstest.MapFS{}
	write := func(cpu int, name, text string) {
		if text != "" {
			files[folder(cpu)+"/"+name] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
	}
	core, pack := "core_cpus_list", "package_cpus_list"
	if m.old {
		core, pack = "thread_siblings_list", "core_siblings_list"
	}
	for cpu := range cpus {
		write(cpu, "topology/"+core, listOf(m.cores, cpu))
		write(cpu, "topology/"+pack, listOf(m.packages, cpu))
		index := 0
		for kind, lists := range m.caches {
			level, typ, _ := strings.Cut(kind, " ")
			cache := "cache/index" + strconv.Itoa(index) + "/"
			index++
			write(cpu, cache+"level", level)
			write(cpu, cache+"type", typ)
			write(cpu, cache+"shared_cpu_list", listOf(lists, cpu))
		}
	}
	return files
}

// listOf returns the list that holds a CPU, or "".
func listOf(all []string, cpu int) string {
	for _, list := range all {
		root := fstest.MapFS{"list": {Data: []byte(list)}}
		if in, _ := lists(root, cpu, "list"); in {
			return list
		}
	}
	return ""
}

func TestDistances(t *testing.T) {
	each := func(n int) (all []string) {
		for i := range n {
			all = append(all, strconv.Itoa(i))
		}
		return all
	}
	xeon := machine{ // two packages of two cores of two threads
		cores: []string{"0,4", "1,5", "2,6", "3,7"}, packages: []string{"0-1,4-5", "2-3,6-7"},
		caches: map[string][]string{"1 Data": {"0,4", "1,5", "2,6", "3,7"}, "2 Unified": {"0,4", "1,5", "2,6", "3,7"}, "3 Unified": {"0-1,4-5", "2-3,6-7"}},
	}
	epyc := machine{ // one package of two core complexes of two cores
		cores: each(4), packages: []string{"0-3"},
		caches: map[string][]string{"1 Data": each(4), "2 Unified": each(4), "3 Unified": {"0-1", "2-3"}},
	}
	arm := machine{cores: each(4), packages: []string{"0-3"}, caches: map[string][]string{"2 Unified": {"0-1", "2-3"}, "3 Unified": {"0-3"}}, old: true}
	modules := machine{cores: each(4), packages: []string{"0-3"}, caches: map[string][]string{"1 Instruction": {"0-1", "2-3"}, "2 Instruction": {"0-3"}}}
	for _, c := range []struct {
		what string
		root fs.FS
		want map[[2]int]string
	}{
		{"two packages with SMT", xeon.sysfs(8), map[[2]int]string{{0, 0}: "same CPU", {0, 4}: "same core", {4, 0}: "same core", {0, 1}: "same L3", {5, 0}: "same L3", {0, 2}: "other package", {7, 1}: "other package"}},
		{"core complexes", epyc.sysfs(4), map[[2]int]string{{0, 1}: "same L3", {1, 2}: "same package", {3, 2}: "same L3"}},
		{"ARM clusters on an old kernel", arm.sysfs(4), map[[2]int]string{{0, 1}: "same L2", {1, 2}: "same L3"}},
		{"a shared instruction cache", modules.sysfs(4), map[[2]int]string{{0, 1}: "same package"}},
		{"no caches", machine{cores: each(2), packages: []string{"0-1"}}.sysfs(2), map[[2]int]string{{0, 1}: "same package"}},
		{"CPU 3 offline", xeon.sysfs(3), map[[2]int]string{{0, 7}: "", {7, 0}: "", {7, 7}: "same CPU"}},
		{"no files", fstest.MapFS{}, map[[2]int]string{{0, 1}: "", {1, 1}: "same CPU"}},
		{"a list that is none", fstest.MapFS{folder(0) + "/topology/package_cpus_list": {Data: []byte("a-b,,1x")}, folder(1) + "/topology/package_cpus_list": {Data: []byte("1")}},
			map[[2]int]string{{0, 1}: "other package"}},
	} {
		for cpus, want := range c.want {
			if got := Distance(c.root, cpus[0], cpus[1]); got != want {
				t.Errorf("%s: CPUs %d and %d have the distance %q, want %q", c.what, cpus[0], cpus[1], got, want)
			}
		}
	}
}

// cpuidle returns files of a driver and of the states of CPU 2, each "name latency disable".
func cpuidle(driver, governorFile string, states ...string) fs.FS {
	files := fstest.MapFS{}
	write := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text + "\n")} }
	write("sys/devices/system/cpu/cpuidle/current_driver", driver)
	write("sys/devices/system/cpu/cpuidle/"+governorFile, "menu")
	for i, state := range states {
		var name, latency, disable string
		fmt.Sscan(state, &name, &latency, &disable)
		for file, text := range map[string]string{"name": name, "latency": latency, "disable": disable} {
			write(fmt.Sprintf("%s/cpuidle/state%d/%s", folder(2), i, file), text)
		}
	}
	return files
}

func TestIdleStates(t *testing.T) {
	xeon := []string{"POLL 0 0", "C1 2 0", "C1E 10 0", "C6 133 1"}
	for _, c := range []struct {
		what string
		root fs.FS
		want string
	}{
		{"a disabled state", cpuidle("intel_idle", "current_governor", xeon...), "{intel_idle menu [{POLL 0s} {C1 2µs} {C1E 10µs}] -1ns}"},
		{"a governor that cannot be changed", cpuidle("acpi_idle", "current_governor_ro", "POLL 0 0"), "{acpi_idle menu [{POLL 0s}] -1ns}"},
		{"states without the file disable", cpuidle("psci_idle", "current_governor", "WFI 1"), "{psci_idle menu [{WFI 1µs}] -1ns}"},
		{"no driver", cpuidle("none", "current_governor"), "{  [] -1ns}"},
		{"no files", fstest.MapFS{}, "{  [] -1ns}"},
	} {
		if got := fmt.Sprint(IdleOf(c.root, 2)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// The limit of exit latencies is read, unless the file has another length.
func TestLatencyLimit(t *testing.T) {
	for data, want := range map[string]time.Duration{
		string(binary.NativeEndian.AppendUint32(nil, 2_000_000_000)): 2000 * time.Second, // which the kernel has without a request
		string(binary.NativeEndian.AppendUint32(nil, 0)):             0,
		"0\n": -1,
	} {
		root := cpuidle("intel_idle", "current_governor", "C6 133").(fstest.MapFS)
		root[LatencyDevice] = &fstest.MapFile{Data: []byte(data)}
		if got := IdleOf(root, 2).Limit; got != want {
			t.Errorf("%q: %v, want %v", data, got, want)
		}
	}
}

// The files of the machine that tests run on are read without an error.
func TestThisMachine(t *testing.T) {
	root := os.DirFS("/")
	if _, err := fs.Stat(root, topologyFile(1, "package_cpus_list")); err != nil {
		t.Skip("needs two CPUs and sysfs")
	}
	if d := Distance(root, 0, 1); d == "" || d == SameCPU {
		t.Errorf("CPUs 0 and 1 have the distance %q", d)
	}
	if idle := IdleOf(root, 0); (idle.Driver == "") != (idle.Governor == "") {
		t.Errorf("idle states: %+v", idle)
	}
}

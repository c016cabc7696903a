package soak

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// resources counts the resources of a process.
type resources struct {
	own         int // bytes of anonymous memory
	mapped      int // bytes of shared mappings, which the device's are
	mappings    int
	descriptors int
	goroutines  int
}

// bounds holds the growth of each that is tolerated between the middle and the end of a run.
var bounds = resources{own: 8 << 20, mapped: 4 << 20, mappings: 32, descriptors: 4, goroutines: 4}

func (r resources) String() string {
	return fmt.Sprintf("%.1f MiB of its own, shared mappings %.1f MiB, %d mappings, %d descriptors, %d goroutines",
		float64(r.own)/(1<<20), float64(r.mapped)/(1<<20), r.mappings, r.descriptors, r.goroutines)
}

// settled returns the resources once they are stable: closed objects are freed a little later,
// when goroutines end and peers have noticed.
func settled() (resources, error) {
	debug.FreeOSMemory()
	last, err := held()
	for end := time.Now().Add(5 * time.Second); err == nil && time.Now().Before(end); {
		time.Sleep(200 * time.Millisecond)
		var now resources
		now, err = held()
		now.own, last.own = min(now.own, last.own), min(now.own, last.own)
		if now == last {
			break
		}
		last = now
	}
	return last, err
}

func held() (r resources, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return r, err
	}
	if _, own, ok := strings.Cut(string(status), "RssAnon:"); ok {
		fmt.Sscan(own, &r.own)
		r.own <<= 10
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return r, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); r.mappings++ {
		var begin, end int
		var rights string
		if fmt.Sscanf(lines.Text(), "%x-%x %s", &begin, &end, &rights); strings.HasSuffix(rights, "s") {
			r.mapped += end - begin
		}
	}
	fds, err := os.ReadDir("/proc/self/fd")
	r.descriptors, r.goroutines = len(fds), runtime.NumGoroutine()
	return r, err
}

// grown compares the medians of the middle third of samples and of the last third. The first
// third is the warm-up.
func grown(samples []resources) (from, to resources, what []string) {
	third := len(samples) / 3
	middle, last := samples[third:len(samples)-third], samples[len(samples)-third:]
	for _, c := range []struct {
		name string
		of   func(*resources) *int
	}{
		{"bytes of its own", func(r *resources) *int { return &r.own }},
		{"bytes of shared mappings", func(r *resources) *int { return &r.mapped }},
		{"mappings", func(r *resources) *int { return &r.mappings }},
		{"descriptors", func(r *resources) *int { return &r.descriptors }},
		{"goroutines", func(r *resources) *int { return &r.goroutines }},
	} {
		before, after := median(middle, c.of), median(last, c.of)
		*c.of(&from), *c.of(&to) = before, after
		if after-before > *c.of(&bounds) {
			what = append(what, fmt.Sprintf("%s grew from %d to %d, by more than %d", c.name, before, after, *c.of(&bounds)))
		}
	}
	return from, to, what
}

func median(samples []resources, of func(*resources) *int) int {
	var values []int
	for i := range samples {
		values = append(values, *of(&samples[i]))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// scraper is how a published program around perftest looks for the average of one size in the
// text, "" if it finds none.
type scraper struct {
	who  string
	find func(text string) string
}

// bySubmatch reads by a regular expression, whose first group is the number.
func bySubmatch(who, pattern string) scraper {
	re := regexp.MustCompile(pattern)
	return scraper{who, func(text string) string {
		if m := re.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	}}
}

// byFields reads the field at a place of the line that begins with the size, and has so many
// fields; 0: any number of them.
func byFields(who, size string, fields, at int) scraper {
	return scraper{who, func(text string) string {
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) == 0 || fields > 0 && len(f) != fields || f[0] != size {
				continue
			}
			return f[at]
		}
		return ""
	}}
}

// Those of bandwidth and of latency.
func ofBandwidth(size string) []scraper {
	return []scraper{
		byFields("awk '{print $4}' of the line of the size", size, 0, 3),
		byFields("five fields between white space", size, 5, 3),
		bySubmatch("a row of five numbers that is a whole line", `(?m)^\s*\d+\s+\d+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s*$`),
		bySubmatch("the row right below the header", `#bytes\s+#iterations\s+BW peak\[(?:MiB|Gb)/sec\]\s+BW average\[(?:MiB|Gb)/sec\]\s+MsgRate\[Mpps\]\s*\n\s*\d+\s+\d+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s*`),
		bySubmatch("size and number of messages as text", fmt.Sprintf(`%-10s 2000 +[\d.]+ +([\d.]+)`, size)),
	}
}

func ofLatency(size string) []scraper {
	return []scraper{
		byFields("awk '{print $6}' of the line of the size", size, 0, 5),
		byFields("nine fields between white space", size, 9, 5),
		bySubmatch("a row of nine numbers that is a whole line", `(?m)^\s*\d+\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s*$`),
		bySubmatch("the row right below the header", `#bytes #iterations    t_min\[usec\]    t_max\[usec\]  t_typical\[usec\]    t_avg\[usec\]    t_stdev\[usec\]   99% percentile\[usec\]   99\.9% percentile\[usec\]\s*\n\s*\d+\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)`),
		bySubmatch("size and number of messages as text", fmt.Sprintf(`%-7s 2000 +[\d.]+ +[\d.]+ +[\d.]+ +\s*([\d.]+)`, size)),
	}
}

// Programs that read perftest's text find the average in that of each program.
func TestReadersOfPerftestsText(t *testing.T) {
	for _, program := range append([]string{"ib_atomic_bw", "ib_atomic_lat"}, programs...) {
		size, options := "65536", "-s 65536"
		if strings.HasPrefix(program, "ib_atomic") {
			size, options = "8", ""
		}
		scrapers := ofBandwidth(size)
		if latency(program) {
			scrapers = ofLatency(size)
		}
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			_, client := newPlace(t).run(statusDone, program, "", "-d shm_whole -n 2000 -F "+options)
			first := ""
			for _, s := range scrapers {
				got := s.find(client.out.String())
				if n, err := strconv.ParseFloat(got, 64); err != nil || n <= 0 || first != "" && got != first {
					t.Errorf("%s: found %q, another one %q\n%s", s.who, got, first, client.said())
				}
				first = got
			}
		})
	}
}

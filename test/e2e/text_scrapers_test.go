package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// scraper imitates a published program that reads perftest's text. find returns the average of one size,
// and an empty text if it finds none.
type scraper struct {
	who  string
	find func(text string) string
}

// bySubmatch returns a scraper that finds a regular expression; the number is its first group.
func bySubmatch(who, pattern string) scraper {
	re := regexp.MustCompile(pattern)
	return scraper{who, func(text string) string {
		if m := re.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	}}
}

// byFields returns a scraper that reads the field at an index of the line that begins with the size
// and has a number of fields; 0: any number.
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

// byLines returns a scraper that takes every line after a text for a row if it matches the expression.
// There must be one such line.
func byLines(who, behind, pattern string) scraper {
	re := regexp.MustCompile(pattern)
	return scraper{who, func(text string) string {
		var found []string
		_, rest, _ := strings.Cut(text, behind)
		for line := range strings.Lines(rest) {
			if m := re.FindStringSubmatch(line); m != nil {
				found = append(found, m[1])
			}
		}
		return strings.Join(found, " and ")
	}}
}

// bySize returns a scraper that reads a field of the first line with the size anywhere.
func bySize(who, size string, at int) scraper {
	return scraper{who, func(text string) string {
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); strings.Contains(line, size) && len(f) > at {
				return f[at]
			}
		}
		return ""
	}}
}

// byDigits returns a scraper that reads a field of the first line whose first field begins with a
// digit, if that field is a number.
func byDigits(who string, at int) scraper {
	return scraper{who, func(text string) string {
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) <= at || f[0][0] < '0' || f[0][0] > '9' {
				continue
			}
			if _, err := strconv.ParseFloat(f[at], 64); err == nil {
				return f[at]
			}
		}
		return ""
	}}
}

// someNumber and someDecimal match a column of a row.
const (
	someNumber  = `\d+(?:\.\d+)?`
	someDecimal = `\d+\.\d+`
)

// numbersIn returns the expression of a row of two whole numbers and n others, one of which is its
// group.
func numbersIn(other string, n, read int) string {
	pattern := `\d+\s+\d+`
	for i := range n {
		if pattern += `\s+` + other; i == read {
			pattern = strings.TrimSuffix(pattern, other) + "(" + other + ")"
		}
	}
	return pattern
}

// bandwidthScrapers returns the scrapers of a bandwidth program's text.
func bandwidthScrapers(size string) []scraper {
	return []scraper{
		byLines("all lines below the header that have five numbers", "#bytes", numbersIn(someNumber, 3, 1)),
		byLines("all lines that have two whole numbers and decimals", "", numbersIn(someDecimal, 3, 1)),
		byDigits("the fourth field of the first line that begins with a number", 3),
		bySubmatch("the size and four numbers, anywhere", size+`\s+\d+\s+[\d.]+\s+([\d.]+)\s+[\d.]+`),
		byFields("awk '{print $4}' of the line of the size", size, 0, 3),
		byFields("five fields between white space", size, 5, 3),
		bySubmatch("a row of five numbers that is a whole line", `(?m)^\s*\d+\s+\d+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s*$`),
		bySubmatch("the row right below the header", `#bytes\s+#iterations\s+BW peak\[(?:MiB|Gb)/sec\]\s+BW average\[(?:MiB|Gb)/sec\]\s+MsgRate\[Mpps\]\s*\n\s*\d+\s+\d+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s*`),
		bySubmatch("size and number of messages, of both directions here and there, as text", fmt.Sprintf(`%-10s [24]000 +[\d.]+ +([\d.]+)`, size)),
	}
}

// latencyScrapers returns the scrapers of a latency program's text.
func latencyScrapers(size string) []scraper {
	return []scraper{
		byLines("all lines below the header that have nine numbers", "#bytes", numbersIn(someNumber, 7, 3)),
		byLines("all lines that have two whole numbers and decimals", "", numbersIn(someDecimal, 7, 3)),
		byDigits("the sixth field of the first line that begins with a number", 5),
		bySubmatch("the size and eight numbers, anywhere", size+`\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+[\d.]+`),
		byFields("awk '{print $6}' of the line of the size", size, 0, 5),
		byFields("nine fields between white space", size, 9, 5),
		bySubmatch("a row of nine numbers that is a whole line", `(?m)^\s*\d+\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s*$`),
		bySubmatch("the row right below the header", `#bytes #iterations    t_min\[usec\]    t_max\[usec\]  t_typical\[usec\]    t_avg\[usec\]    t_stdev\[usec\]   99% percentile\[usec\]   99\.9% percentile\[usec\]\s*\n\s*\d+\s+\d+\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)`),
		bySubmatch("size and number of messages as text", fmt.Sprintf(`%-7s 2000 +[\d.]+ +[\d.]+ +[\d.]+ +\s*([\d.]+)`, size)),
	}
}

// scraperOptions holds further options that published programs give to each program.
var scraperOptions = map[string]string{
	"ib_write_bw": " --report_gbit -b", "ib_send_bw": " -e --report_gbits", "ib_read_bw": " --report_gbits --perform_warm_up -x 0", "ib_send_lat": " -e",
}

// failureText matches text that published programs take for a failure.
var failureText = regexp.MustCompile(`(?i)failed to init|unable to open file descriptor|error|fail|segmentation fault`)

// TestScrapersOfPerftestsText: programs that read perftest's text find the average in that of each
// ibperf program.
func TestScrapersOfPerftestsText(t *testing.T) {
	for _, program := range append([]string{"ib_atomic_bw", "ib_atomic_lat"}, programs...) {
		size, options := "65536", "-s 65536"
		if strings.HasPrefix(program, "ib_atomic") {
			size, options = "8", ""
		}
		scrapers, anywhere := bandwidthScrapers(size), bySize("the fourth field of the first line that has the size", size, 3)
		if isLatency(program) {
			scrapers, anywhere = latencyScrapers(size), bySize("the sixth field of the first line that has the size", size, 5)
		}
		if size != "8" { // the line of the send queue's depth has an 8 too
			scrapers = append(scrapers, anywhere)
		}
		t.Run(program, func(t *testing.T) {
			_, client := newWorkspace(t).runPair(statusDone, program, "", "-d shm_whole -n 2000 -F "+options+scraperOptions[program])
			if text := client.out.String(); strings.Contains(text, "BW") == isLatency(program) || failureText.MatchString(text) {
				t.Errorf("a scraper takes the text for another test's, or for a failure\n%s", text)
			}
			first := ""
			for _, s := range scrapers {
				got := s.find(client.out.String())
				if n, err := strconv.ParseFloat(got, 64); err != nil || n <= 0 || first != "" && got != first {
					t.Errorf("%s: found %q, another scraper %q\n%s", s.who, got, first, client.output())
				}
				first = got
			}
		})
	}
}

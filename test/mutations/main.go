// Mutations measures the share of small faults that the tests of the embedded device do not find. It
// makes faults from the syntax tree of verbs/shm: a condition negated, a call or an assignment left out,
// + for -, < for <=. Each is a mutant, compiled with an overlay that leaves the tree unchanged. The tests
// of the package run with it until one fails; a mutant with which all pass has survived.
//
//	go run ./mutations [-seed N] [-budget 30m] [-most 0.4] [-v] [REGEXP]
//
// There are thousands of mutants, so mutations takes a sample: the seed determines an order of functions,
// and one mutant of each function is run in turn until the budget is used up. REGEXP chooses the mutants
// whose line of output it matches ("srq.go", "PostSend: drop"). The
// exit status is 1 if more than the share -most survived.
//
// A mutant that no test can find, for instance because it changes only the speed, is marked in the source
// with its kinds and the reason: at the end of its line or, for a whole function, in the comment before
// it:
//
//	prefetch(next) //mutation:equal drop,negate only speed
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

func main() {
	seed := flag.Uint64("seed", 1, "determines the sample")
	budget := flag.Duration("budget", 30*time.Minute, "no mutant is run after this time")
	most := flag.Float64("most", 0.4, "the share of mutants that may survive")
	verbose := flag.Bool("v", false, "print the output of failing tests")
	flag.Parse()
	pattern, err := regexp.Compile(flag.Arg(0))
	if err != nil {
		fail(err)
	}
	if err := enterRoot(); err != nil {
		fail(err)
	}
	all, err := mutantsOf("./" + target + "/...")
	if err != nil {
		fail(err)
	}
	var chosen []mutant
	for _, m := range sample(all, *seed) {
		if pattern.MatchString(m.String()) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		fail(fmt.Errorf("no mutant of %d matches %q", len(all), pattern))
	}
	dir, err := os.MkdirTemp("", "ibperf-mutations")
	if err != nil {
		fail(err)
	}
	fmt.Printf("%d mutants, %d to choose from, seed %d\n", len(all), len(chosen), *seed)
	status := prove(&lab{dir: dir, verbose: *verbose}, chosen, *budget, *most)
	os.RemoveAll(dir)
	os.Exit(status)
}

// enterRoot changes the working directory to the root of the product's module.
func enterRoot() error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ibperf/ibperf").Output()
	if err != nil {
		return fmt.Errorf("go list -m github.com/ibperf/ibperf: %w", err)
	}
	return os.Chdir(strings.TrimSpace(string(root)))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "mutations:", err)
	os.Exit(2)
}

// prove runs mutants until the budget is used up and returns the exit status: 1 if too
// many survived, 2 if the tests fail without a mutant or none could be run.
func prove(l *lab, chosen []mutant, budget time.Duration, most float64) (status int) {
	end := time.Now().Add(budget)
	if err := l.healthy(); err != nil {
		fmt.Fprintln(os.Stderr, "mutations:", err)
		return 2
	}
	run, survived, invalid := 0, 0, 0
	for _, m := range chosen {
		if time.Now().After(end) {
			break
		}
		verdict, err := l.try(m)
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, "mutations:", err)
			return 2
		case verdict == doesNotCompile:
			invalid++
			continue
		case verdict == "":
			survived++
			verdict = "SURVIVED"
		}
		run++
		fmt.Printf("%-72s %s\n", m, verdict)
	}
	if run == 0 {
		fmt.Fprintln(os.Stderr, "mutations: none was run within the budget")
		return 2
	}
	share := float64(survived) / float64(run)
	fmt.Printf("%d mutants run: %d caught, %d survived, a share of %.2f (at most %.2f); %d did not compile\n",
		run, run-survived, survived, share, most, invalid)
	if share > most {
		return 1
	}
	return 0
}

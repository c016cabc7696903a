// Command mutations proves that the tests of the embedded device catch real
// faults. It breaks verbs/shm in one small way after the other, by an overlay that
// leaves the tree as it is, and runs the statements of the conformance suite, or
// the tests of the package, that have to notice. It prints a line for each
// mutation and exits with 1 if one survived.
//
//	go run ./test/mutations [-v] [REGEXP]
//
// REGEXP selects mutations by what they say. Run it in the root of the tree.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
)

func main() {
	verbose := flag.Bool("v", false, "print what the failing tests say")
	flag.Parse()
	pattern, err := regexp.Compile(flag.Arg(0))
	if err != nil {
		fail(err)
	}
	var chosen []mutation
	for _, m := range mutations() {
		if pattern.MatchString(m.says) {
			chosen = append(chosen, m)
		}
	}
	dir, err := os.MkdirTemp("", "ibperf-mutations")
	if err != nil {
		fail(err)
	}
	status := prove(lab{dir, *verbose}, chosen)
	os.RemoveAll(dir)
	os.Exit(status)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "mutations:", err)
	os.Exit(2)
}

// prove runs the mutations and returns the exit status: 1 if one survived, 2 if
// one could not be made or the tests fail without any.
func prove(l lab, chosen []mutation) (status int) {
	if err := l.healthy(chosen); err != nil {
		fmt.Fprintln(os.Stderr, "mutations:", err)
		return 2
	}
	survived, unusable := 0, 0
	for _, m := range chosen {
		verdict, err := l.try(m)
		switch {
		case err != nil:
			unusable++
			verdict = "UNUSABLE: " + err.Error()
		case verdict == "":
			survived++
			verdict = "SURVIVED " + m.by
		}
		fmt.Printf("%-64s %s\n", m.says, verdict)
	}
	fmt.Printf("%d mutations: %d caught, %d survived, %d unusable\n",
		len(chosen), len(chosen)-survived-unusable, survived, unusable)
	switch {
	case unusable > 0:
		return 2
	case survived > 0:
		return 1
	}
	return 0
}

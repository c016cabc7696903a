// Manpages writes the man pages of the benchmark programs, of ib_compare and of ib_conform into a folder: make man.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manpages DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "manpages: %v\n", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	release := version.Current().String()
	pages := map[string]string{
		option.CompareProgram: option.CompareManPage(release),
		option.ConformProgram: option.ConformManPage(release),
	}
	for _, t := range option.Tests() {
		pages[t.Program()] = option.ManPage(t, release)
	}
	for program, page := range pages {
		if err := os.WriteFile(filepath.Join(dir, program+".1"), []byte(page), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Manpages writes the man pages of all benchmark programs into a folder: make man.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/internal/cli"
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
	for _, t := range option.Tests() {
		page := option.ManPage(t, cli.Release)
		if err := os.WriteFile(filepath.Join(dir, t.Program()+".1"), []byte(page), 0o666); err != nil {
			return err
		}
	}
	return nil
}

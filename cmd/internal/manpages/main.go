// Manpages writes the man page of each program in a folder from the program's own --help (make man).
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: manpages PROGRAMS DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "manpages: %v\n", err)
		os.Exit(1)
	}
}

// write writes the pages of the programs in a folder into dir.
func write(folder, dir string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "ib*"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s has no programs: build them first", folder)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	for i, path := range paths {
		p, err := newPage(path, names)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, names[i]+".1"), []byte(p.roff()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// newPage asks the program at a path for the content of its page.
func newPage(path string, all []string) (*page, error) {
	help, err := output(path, "--help")
	if err != nil {
		return nil, err
	}
	if strings.Contains(help, "--help=all") {
		if help, err = output(path, "--help=all"); err != nil {
			return nil, err
		}
	}
	line, err := output(path, "--version")
	if err != nil {
		return nil, err
	}
	p := &page{name: filepath.Base(path), help: parseHelp(help), others: all}
	_, p.release, _ = strings.Cut(strings.TrimSpace(line), ") ") // "ib_caps (ibperf) v0.1.0"
	return p, nil
}

func output(path string, args ...string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	out, err := exec.Command(path, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", path, strings.Join(args, " "), err)
	}
	return string(out), nil
}

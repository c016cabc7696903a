package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var longOption = regexp.MustCompile(`(?m)^ {2}(?:-\w, | {4})(--[\w-]+)`)

// TestManPages: each program in cmd has a man page, which groff formats without a warning and which has
// each option of the program's --help.
func TestManPages(t *testing.T) {
	w := newWorkspace(t, "*.1")
	writer := filepath.Join(t.TempDir(), "manpages")
	build := exec.Command("go", "build", "-o", writer, "./cmd/internal/manpages")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(writer, bin, w.dir).CombinedOutput(); err != nil {
		t.Fatalf("manpages: %v\n%s", err, out)
	}
	folders, err := os.ReadDir(filepath.Join("..", "..", "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if folder.Name() == "internal" || folder.Name() == "ibperf" { // ibperf is not in the folder of programs
			continue
		}
		t.Run(folder.Name(), func(t *testing.T) {
			help := helpOf(t, filepath.Join(bin, folder.Name()), "--help")
			if all := "--help=all"; strings.Contains(help, all) {
				help = helpOf(t, filepath.Join(bin, folder.Name()), all)
			}
			page := formatted(t, filepath.Join(w.dir, folder.Name()+".1"))
			options := longOption.FindAllStringSubmatch(help, -1)
			for _, o := range options {
				if !regexp.MustCompile(`(?m)^ +(-\w, )?` + o[1] + `( |=|$)`).MatchString(page) {
					t.Errorf("%s is not on the page", o[1])
				}
			}
			if name := regexp.MustCompile(`NAME\n +` + folder.Name() + ` +- +\w`); len(options) < 2 || !name.MatchString(page) || t.Failed() {
				t.Errorf("%d options in --help, and the page\n%s", len(options), page)
			}
		})
	}
}

// helpOf returns what a program prints with an option.
func helpOf(t *testing.T, program, option string) string {
	t.Helper()
	help, err := exec.Command(program, option).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(help)
}

// formatted returns a man page as text.
func formatted(t *testing.T, path string) string {
	t.Helper()
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("groff is not installed: test/packages groff")
	}
	format := exec.Command("groff", "-man", "-ww", "-Tascii", "-P-cbou", path)
	var warnings bytes.Buffer
	format.Stderr = &warnings
	text, err := format.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("groff %s: %v\n%s", path, err, &warnings)
	}
	return string(text)
}

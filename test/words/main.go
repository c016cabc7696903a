// Words finds breaches of the rules in docs/CONTRIBUTING.md that a program can find: retired words and
// names, comments of the wrong shape, and a glossary that is too long. It prints a line for each place,
// and its exit status is 1 if there are any.
//
//	words [FOLDER...]
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	folders := os.Args[1:]
	if len(folders) == 0 {
		folders = []string{"."}
	}
	var found []string
	for _, folder := range folders {
		more, err := search(folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, "words:", err)
			os.Exit(1)
		}
		found = append(found, more...)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		fmt.Fprintf(os.Stderr, "words: %d places; docs/CONTRIBUTING.md has the rules\n", len(found))
		os.Exit(1)
	}
}

// search returns a line for each breach in the files of a folder.
func search(folder string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(path):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		more, err := check(path)
		found = append(found, more...)
		return err
	})
	return found, err
}

// skipped reports whether a folder is left out: hidden folders, what was built, files of others, and this
// tool, which lists the words.
func skipped(path string) bool {
	name := filepath.Base(path)
	hidden := name[0] == '.' && name != "." && name != ".."
	return hidden || slices.Contains([]string{"testdata", "words", "out", "bin"}, name)
}

// suffixes are those of the files that are read; scripts have none.
var suffixes = []string{".go", ".md", ".c", ".h", ".s", ".js", ""}

// check returns a line for each breach in a file.
func check(path string) ([]string, error) {
	if !slices.Contains(suffixes, filepath.Ext(path)) {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if filepath.Base(path) == "CONTRIBUTING.md" { // which quotes retired words
		return glossary(path, string(data)), nil
	}
	found := retired(path, string(data))
	if strings.HasSuffix(path, ".go") {
		more, err := source(path, data)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

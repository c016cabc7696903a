package main

import (
	"fmt"
	"io"

	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// drawAll is the program with the word draw and these arguments.
func drawAll(args []string, stdout, stderr io.Writer) int {
	if len(args) < 2 {
		fmt.Fprintln(stderr, "sidebyside: draw needs a folder and the files to draw")
		return exitUsage
	}
	files, err := draw(args[0], args[1:], stdout)
	if err != nil {
		fmt.Fprintf(stderr, "sidebyside: %v\n", err)
		return exitFailed
	}
	for _, file := range files {
		fmt.Fprintf(stderr, "wrote %s\n", file)
	}
	return exitDone
}

// draw prints the comparisons in files, draws them into dir, and returns what it wrote.
func draw(dir string, files []string, stdout io.Writer) ([]string, error) {
	var all comparison.Set
	for _, file := range files {
		c, err := comparison.Read(file)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if err := all.WriteText(stdout); err != nil {
		return nil, err
	}
	return all.Draw(dir)
}

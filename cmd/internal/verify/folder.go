package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CapsNames are the names of the capabilities of both devices.
var CapsNames = []string{"caps-client.json", "caps-server.json"}

const wrongPrefix = "wrong-"

// WrongName returns the name of the result file of a checkpoint with wrong data.
func WrongName(c *Checkpoint) string {
	return fmt.Sprintf("%s%06d-%s-%s.json", wrongPrefix, c.Cycle, c.Op, c.Time.UTC().Format("20060102T150405Z"))
}

// Names returns the names of all files in the folder that belong to the journal.
func Names(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	own := strings.Join(append([]string{JournalName, ReportName}, CapsNames...), "\n")
	for _, e := range entries {
		name := e.Name()
		if wrong, _ := filepath.Match(wrongPrefix+"*.json", name); wrong || strings.Contains("\n"+own+"\n", "\n"+name+"\n") {
			names = append(names, name)
		}
	}
	return names, err
}

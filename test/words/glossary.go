package main

import (
	"fmt"
	"strings"
)

// mostTerms is the largest number of rows that the glossary may have.
const mostTerms = 25

// glossary returns a line if the table below the heading "Glossary" has too many rows or none.
func glossary(path, text string) []string {
	_, section, found := strings.Cut(text, "\n## Glossary\n")
	if !found {
		return []string{path + ":1: there is no heading \"## Glossary\""}
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := strings.Count("\n"+section, "\n|") - 2 // the names of the columns and the line below them
	if rows < 1 || rows > mostTerms {
		return []string{fmt.Sprintf("%s:1: the glossary has %d rows, want 1 to %d", path, max(rows, 0), mostTerms)}
	}
	return nil
}

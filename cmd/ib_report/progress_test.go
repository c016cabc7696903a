package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/printable"
)

// TestProgress: on a terminal a line names each step, and is removed before the tables are printed.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := progress{printable.NewWriter(&out)}
	all := inputs{{path: "../../result/testdata/version1.json"}, {path: "../../result/testdata/version2.json"}}
	if _, err := all.read(p); err != nil {
		t.Fatal(err)
	}
	want := "|reading file 1 of 2: version1.json|reading file 2 of 2: version2.json|"
	if got := strings.ReplaceAll(out.String(), "\r\x1b[K", "|"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if p := newProgress(printable.NewWriter(&out)); p.terminal != nil {
		t.Error("a buffer is a terminal")
	}
}

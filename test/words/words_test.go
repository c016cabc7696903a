package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sentences has for each pattern of words, in their order, one sentence that it finds and one with similar
// words that no pattern finds.
var sentences = [][2]string{
	{"empty tells whether the queue is empty", "empty reports whether the queue is empty"},
	{"one completion for so many messages", "so the server counts many messages"},
	{"a record that nobody reads", "a record without a reader, and a body"},
	{"who polls the CQ takes it", "the whole poller, which polls the CQ"},
	{"receives are lent to the QP", "silent, and talent"},
	{"it is sent all the same", "all QPs have the same size"},
	{"readings that go to and fro", "from the client to the server and back"},
	{"strangers connect", "a strange result"},
	{"measured in every way", "every completion mode; always"},
	{"the server is told of it", "the server gets the option; an untold number"},
	{"a message that was heard", "a message that was received; the herd"},
	{"it tells data from poll", "it distinguishes data from poll"},
	{"the client takes its word", "the client takes a word of 8 bytes"},
	{"the client left it open", "the client left the port open"},
	{"the message is nothing but zeros", "nothing but zeros was written"},
	{"measured in turns", "each in turn; it returns"},
	{"where the message lay", "the layout of a layer is displayed"},
	{"a server that lasts", "the last message; at last"},
	{"what is known of those", "what is measured; it is known"},
	{"while a requester is at work", "a requester works at 8 bytes"},
	{"while messages are on their way", "messages in flight; the only way"},
}

func TestEachPatternFindsItsSentenceAlone(t *testing.T) {
	if len(sentences) != len(words) {
		t.Fatalf("%d pairs of sentences for %d patterns", len(sentences), len(words))
	}
	for i, s := range sentences {
		if !words[i].pattern.MatchString(s[0]) || len(retired("x.md", s[0])) != 1 {
			t.Errorf("pattern %s: %q", words[i].pattern, retired("x.md", s[0]))
		}
		if found := retired("x.md", s[1]); len(found) > 0 {
			t.Errorf("%q", found)
		}
	}
}

func TestPhrasesOverTwoLines(t *testing.T) {
	found := retired("x.go", "// what is\n\t// known of them\nin\n# turns\n")
	want := []string{`x.go:1: "what is known": name the thing: the device, the address, ...`, `x.go:3: "in turns": in interleaved runs, alternately`}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", found, want)
	}
}

// Each retired name is found as a part of an identifier where that is declared, and not where it is used
// or within another word.
func TestRetiredNames(t *testing.T) {
	for _, name := range names {
		for _, declared := range []string{name, name + "Of", "the" + strings.ToUpper(name[:1]) + name[1:]} {
			code := "package p\n\nfunc f() {\n\t" + declared + " := 1\n\t_ = " + declared + "\n}\n"
			if found, err := source("x.go", []byte(code)); err != nil || len(found) != 1 || !strings.HasPrefix(found[0], "x.go:4: ") {
				t.Errorf("%s: %q, %v", declared, found, err)
			}
		}
	}
	const fine = "package p\n\nvar planes, brigade, always, theatre, cleaning, aggregate, overlap int\n"
	if found, err := source("x.go", []byte(fine)); err != nil || len(found) > 0 {
		t.Errorf("%q, %v", found, err)
	}
}

func TestShapesOfComments(t *testing.T) {
	for code, want := range map[string]string{
		"// size is how large it is.\nvar size int":                                 `"size is how"`,
		"// Sizes are what messages have.\nvar Sizes []int":                         `"Sizes are what"`,
		"// size is the number of bytes.\nvar size int":                             "",
		"// full tells if it is full.\nfunc full() bool { return true }":            "a predicate reports whether",
		"// full reports whether it is full.\nfunc full() bool { return true }":     "",
		"func full() bool { return true }":                                          "",
		"// count returns the number.\nfunc count() int { return 1 }":               "",
		"// take takes one.\nfunc take() (ok bool) { return true }":                 "",
		"// take takes one, if it can.\nfunc take() (int, bool) { return 1, true }": "",
	} {
		found, err := source("x.go", []byte("package p\n\n"+code+"\n"))
		if err != nil || len(found) > 1 || (len(found) == 1) != (want != "") || want != "" && !strings.Contains(found[0], want) {
			t.Errorf("%s: %q, %v, want %q", code, found, err, want)
		}
	}
}

func TestGlossary(t *testing.T) {
	page := func(rows int) string {
		return "# Contributing\n\n## Glossary\n\n| term | meaning |\n| --- | --- |\n" + strings.Repeat("| a | b |\n", rows) + "\n## More\n\n| a | b |\n"
	}
	for text, want := range map[string]int{page(25): 0, page(26): 1, page(1): 0, page(0): 1, "# Contributing\n": 1} {
		if found := glossary("CONTRIBUTING.md", text); len(found) != want {
			t.Errorf("%q in\n%s", found, text)
		}
	}
}

// Search reads scripts, and neither testdata nor the rules themselves.
func TestFilesThatAreRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"script": "# nobody\n", "a/b.c": "// nobody\n", "a/b.md": "nobody\n", "a/b.go": "// Package a has nobody.\npackage a\n",
		"testdata/x.md": "nobody\n", "a/words/x.md": "nobody\n", ".git/x.md": "nobody\n", "out/x": "nobody\n", "x.svg": "nobody\n",
		"CONTRIBUTING.md": "nobody\n\n## Glossary\n\n| term | meaning |\n| --- | --- |\n| a | b |\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := search(dir)
	if err != nil || len(found) != 4 {
		t.Errorf("%q, %v", found, err)
	}
	t.Chdir(filepath.Join(dir, "a"))
	if found, err := search(".."); err != nil || len(found) != 4 {
		t.Errorf("by its relative path: %q, %v", found, err)
	}
}

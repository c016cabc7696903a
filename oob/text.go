package oob

import (
	"bytes"
	"encoding/json"

	"github.com/ibperf/ibperf/internal/terminal"
)

// Decode fills v from the JSON of a peer, which may be anyone. Every string in it is made one
// line of printable characters first, as [terminal.Clean] makes it, so that no text of a peer
// can end a line of what this side prints, or begin one.
func Decode(data []byte, v any) error { return json.Unmarshal(cleanJSON(data), v) }

// cleanJSON cleans the strings of JSON, names of members and raw messages included. What is no
// JSON stays none.
func cleanJSON(data []byte) []byte {
	var out []byte
	for {
		begin := bytes.IndexByte(data, '"')
		if begin < 0 {
			return append(out, data...)
		}
		end := begin + stringEnd(data[begin:])
		out = append(append(out, data[:begin]...), cleanString(data[begin:end])...)
		data = data[end:]
	}
}

// stringEnd returns the length of the string that JSON begins with, all of it if it does not end.
func stringEnd(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// cleanString cleans a string in its quotes.
func cleanString(quoted []byte) []byte {
	odd := func(r rune) bool { return r < ' ' || r > '~' || r == '\\' }
	var s string
	if bytes.IndexFunc(quoted, odd) < 0 || json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	clean, err := json.Marshal(terminal.Clean(s))
	if err != nil {
		return quoted // no string fails
	}
	return clean
}

package oob

import (
	"bytes"
	"encoding/json"

	"github.com/ibperf/ibperf/internal/printable"
)

// Decode decodes the JSON of a peer into v. It first makes every string in it one line of printable
// characters, as [printable.Clean] does, so that no text of a peer can end a line of this side's
// output, or begin one.
func Decode(data []byte, v any) error { return json.Unmarshal(cleanJSON(data), v) }

// cleanJSON cleans the strings of JSON, including names of members and raw messages. Invalid JSON
// stays invalid.
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

// stringEnd returns the length of the string that data begins with; all of data if the string does
// not end.
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

// cleanString cleans a quoted string.
func cleanString(quoted []byte) []byte {
	odd := func(r rune) bool { return r < ' ' || r > '~' || r == '\\' }
	var s string
	if bytes.IndexFunc(quoted, odd) < 0 || json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	clean, err := json.Marshal(printable.Clean(s))
	if err != nil {
		return quoted // does not happen: every string can be encoded
	}
	return clean
}

// countValues returns about the number of values in JSON: one for each comma and each bracket that opens a list or an
// object, outside of strings.
func countValues(data []byte) int {
	n := 1
	for len(data) > 0 {
		switch data[0] {
		case '"':
			data = data[stringEnd(data):]
			continue
		case ',', '[', '{':
			n++
		}
		data = data[1:]
	}
	return n
}

package cli

import (
	"bytes"
	"regexp"
)

// edit is one change to the frames of a session, in four bytes: what, at which frame of which side, where in it, with
// what value.
type edit [4]byte

type direction byte

const (
	fromClient direction = iota
	fromServer
)

// editsOf decodes edits. Bytes that are left over are ignored; a session has at most eight edits.
func editsOf(b []byte) (all []edit) {
	for len(b) >= 4 && len(all) < 8 {
		all, b = append(all, edit(b)), b[4:]
	}
	return all
}

func (e edit) direction() direction { return direction(e[1] & 1) }

// frame returns the number of the frame; 0 is the preamble.
func (e edit) frame() int { return int(e[1] >> 1) }

// actions change a frame. A nil frame is dropped.
var actions = []func(e edit, f []byte) []byte{
	func(e edit, f []byte) []byte { return e.flip(f, f) },
	func(e edit, f []byte) []byte { return e.flip(f, payload(f)) },
	func(e edit, f []byte) []byte { return withPayload(f, payload(f)[:e.at(payload(f))]) },
	func(e edit, f []byte) []byte { return f[:e.at(f)] },
	func(e edit, f []byte) []byte { return append(f[:len(f):len(f)], f...) },
	func(edit, []byte) []byte { return nil },
	func(e edit, f []byte) []byte { return append([]byte(foreign[int(e[3])%len(foreign)]), f...) },
	func(e edit, f []byte) []byte { return e.replace(f, anyNumber, numbers) },
	func(e edit, f []byte) []byte { return e.replace(f, anyText, texts) },
	func(e edit, f []byte) []byte { return e.replace(f, anyValue, values) },
	func(e edit, f []byte) []byte { return e.insert(f) },
}

const (
	actionHold  = 11 // the frame comes after the next one
	actionClose = 12 // the connection ends after the frame
	actionCount = 13
)

// apply returns the frame as it is sent, what is sent before it, the frame that is held back, and whether the
// connection ends.
func (e edit) apply(f, before, held []byte) (now, out, later []byte, last bool) {
	switch what := int(e[0]) % actionCount; what {
	case actionHold:
		return nil, append(before, held...), f, false
	case actionClose:
		return f, before, held, true
	default:
		if len(f) == 0 {
			return f, before, held, false
		}
		return actions[what](e, f), before, held, false
	}
}

// at returns a position in bytes.
func (e edit) at(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	return int(e[2]) * len(b) / 256
}

// flip changes one byte of a part of a frame.
func (e edit) flip(f, part []byte) []byte {
	if len(part) > 0 {
		part[e.at(part)] ^= e[3] | 1
	}
	return f
}

// replace replaces a match of an expression in the payload by one of several texts.
func (e edit) replace(f []byte, what *regexp.Regexp, by []string) []byte {
	p := payload(f)
	all := what.FindAllIndex(p, -1)
	if len(all) == 0 {
		return f
	}
	m := all[int(e[2])*len(all)/256]
	return withPayload(f, bytes.Join([][]byte{p[:m[0]], []byte(by[int(e[3])%len(by)]), p[m[1]:]}, nil))
}

// insert puts a text somewhere into the payload.
func (e edit) insert(f []byte) []byte {
	p, at := payload(f), e.at(payload(f))
	return withPayload(f, bytes.Join([][]byte{p[:at], []byte(values[int(e[3])%len(values)]), p[at:]}, nil))
}

// What replaces a part of a message.
var (
	anyNumber = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)
	numbers   = []string{
		"0", "1", "-1", "2", "3", "64", "4096", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
		"9223372036854775807", "18446744073709551615", "18446744073709551616", "1e308", "1e400", "-1e308", "0.5", "NaN", `""`,
	}
	anyText = regexp.MustCompile(`"[^"]*"`)
	texts   = []string{
		`""`, `"x"`, `"\u001b[2J\u001b]0;owned\u0007"`, `"\u009b31m"`, `"a\nb"`, `"../../etc/passwd"`, `"shm_whole"`, `"ib_read_lat"`, `"data"`, `"poll"`, `"WRITE"`,
		`"\ud800"`, `"` + string(bytes.Repeat([]byte("A"), 5000)) + `"`, "null", "0", "[]", "{}",
	}
	anyValue = regexp.MustCompile(`("[^"]*"|-?[0-9.]+|true|false|null)`)
	values   = []string{
		"null", "true", "false", "0", "-1", `"x"`, "[]", "{}", "[[[[[[[[[[]]]]]]]]]]", `{"a":{"a":{"a":{}}}}`, ",", "}", "]", `"`, "\x00", "\xff\xfe", "\x1b[2J",
		string(bytes.Repeat([]byte("[0],"), 3000)),
	}
	foreign = []string{
		"\x00", "IBPF", "IBPF\x03\x03\x00\x00\x00\x00\x00\x00", "IBPF\x03\x05\x00\x00\x00\x00\x00\x00", "IBPF\x03\x04\x05\x00\x00\x00\x00\x04usagewhy\x1b",
		"IBPF\x03\x02\x04\x00\x7f\xff\xff\xffplan", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "6.06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	}
)

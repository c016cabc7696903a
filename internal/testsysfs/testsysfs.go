// Package testsysfs makes file systems for tests from short descriptions of a host's sysfs and procfs.
//
// A description has one file in each line; lines that begin with # are comments:
//
//	sys/class/net/eth0/mtu: 1500                 a file with a line of text; "\n" in the text begins another one
//	sys/class/infiniband/mlx5_0 -> ../../devices/pci0000:00/0000:00:02.0/infiniband/mlx5_0
//	sys/devices/pci0000:00/config =64 06:10 34:60    a file of 64 bytes, zero but for those at offsets 0x06 and 0x34
//	sys/devices/system/cpu/cpu{0-3}/online: 1    four files; {} in the text is a number of the first range
package testsysfs

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// Read returns the file system that the file at path describes.
func Read(tb testing.TB, path string) fstest.MapFS {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return Parse(tb, string(text))
}

// Parse returns the file system of a description.
func Parse(tb testing.TB, description string) fstest.MapFS {
	tb.Helper()
	root := fstest.MapFS{}
	for line := range strings.Lines(description) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		for _, one := range numbered(line) {
			if !add(root, one) {
				tb.Fatalf("the description has a line that is neither a file nor a link: %q", line)
			}
		}
	}
	return root
}

// span matches the first range of numbers in the name of a file.
var span = regexp.MustCompile(`^(\S*?)\{(\d+)-(\d+)\}`)

// numbered returns a line for each number of a range in the file's name; a line without a range alone.
func numbered(line string) (all []string) {
	m := span.FindStringSubmatch(line)
	if m == nil {
		return []string{line}
	}
	first, _ := strconv.Atoi(m[2])
	last, _ := strconv.Atoi(m[3])
	for n := first; n <= last; n++ {
		rest := strings.ReplaceAll(line[len(m[0]):], "{}", strconv.Itoa(n))
		all = append(all, numbered(m[1]+strconv.Itoa(n)+rest)...)
	}
	return all
}

// add adds the file of a line, and reports whether the line describes one.
func add(root fstest.MapFS, line string) bool {
	if name, target, ok := strings.Cut(line, " -> "); ok {
		root[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
		return true
	}
	if name, content, ok := strings.Cut(line, " ="); ok {
		data, ok := sparse(content)
		root[name] = &fstest.MapFile{Data: data}
		return ok
	}
	name, content, ok := strings.Cut(line, ": ")
	if !ok {
		name, ok = strings.CutSuffix(line, ":")
	}
	root[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(content, `\n`, "\n") + "\n")}
	return ok
}

// sparse returns the bytes of "64 06:10 34:60", and whether the text has this form.
func sparse(text string) (data []byte, ok bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return nil, false
	}
	size, err := strconv.Atoi(fields[0])
	if err != nil {
		return nil, false
	}
	data = make([]byte, size)
	for _, field := range fields[1:] {
		at, digits, _ := strings.Cut(field, ":")
		offset, err1 := strconv.ParseUint(at, 16, 16)
		bytes, err2 := hex.DecodeString(digits)
		if err1 != nil || err2 != nil || int(offset)+len(bytes) > size {
			return nil, false
		}
		copy(data[offset:], bytes)
	}
	return data, true
}

// Store writes a file system into a folder, with its links.
func Store(tb testing.TB, root fstest.MapFS, folder string) {
	tb.Helper()
	for name, file := range root {
		at := filepath.Join(folder, filepath.FromSlash(path.Clean(name)))
		err := os.MkdirAll(filepath.Dir(at), 0o777)
		if err == nil && file.Mode&fs.ModeSymlink != 0 {
			err = os.Symlink(string(file.Data), at)
		} else if err == nil {
			err = os.WriteFile(at, file.Data, 0o666)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

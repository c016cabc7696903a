package testsysfs

import (
	"io/fs"
	"os"
	"testing"
)

const description = `
# a host of two CPUs
sys/cpu{0-1}/online: 1
sys/cpu{0-1}/link{0-1}: cpu {}
proc/two: a\nb
proc/empty:
sys/class/card -> ../cpu1
sys/config =8 02:10ff 07:01
`

// A description becomes the same files in memory and in a folder, and links are followed.
func TestDescription(t *testing.T) {
	root := Parse(t, description)
	folder := t.TempDir()
	Store(t, root, folder)
	for _, files := range []fs.FS{root, os.DirFS(folder)} {
		for name, want := range map[string]string{
			"sys/cpu0/online": "1\n", "sys/cpu1/online": "1\n", "sys/cpu1/link0": "cpu 1\n", "proc/two": "a\nb\n", "proc/empty": "\n",
			"sys/class/card/online": "1\n", "sys/config": "\x00\x00\x10\xff\x00\x00\x00\x01",
		} {
			if got, err := fs.ReadFile(files, name); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v, want %q", name, got, err, want)
			}
		}
	}
}

func TestLinesThatAreNoFiles(t *testing.T) {
	for _, line := range []string{"proc/a", "proc/a =", "proc/a =x", "proc/a =2 01:0000", "proc/a =2 zz:00"} {
		if add(Parse(t, ""), line) {
			t.Errorf("%q is read as a file", line)
		}
	}
}

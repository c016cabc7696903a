package leak

import (
	"bytes"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/emulation"
	"golang.org/x/sys/unix"
)

var leave = flag.String("leave", "", "what the tests leave behind")

func TestMain(m *testing.M) { os.Exit(Run(m.Run, Allowed{"/memfd:allowed (deleted)", 1})) }

func leaveGoroutine() { go func() { select {} }() }

func leaveSocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	kept = l
}

func leaveMapping(t *testing.T, name string) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if kept, err = unix.Mmap(fd, 0, 4096, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
}

func leaveFile(t *testing.T) {
	if err := os.WriteFile(filepath.Join(os.TempDir(), "left"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

var kept any

// TestLeaves leaves behind what the flag says, in another process.
func TestLeaves(t *testing.T) {
	switch *leave {
	case "goroutine":
		leaveGoroutine()
	case "socket":
		leaveSocket(t)
	case "mapping":
		leaveMapping(t, "left")
	case "file":
		leaveFile(t)
	case "allowed":
		leaveMapping(t, "allowed")
	case "more":
		leaveMapping(t, "allowed")
		leaveMapping(t, "allowed")
	case "once":
		if os.Getenv(tracedVariable) == "" {
			leaveSocket(t)
		}
	}
}

// TestPlacesAreNamed holds that each kind fails the tests, with the line that has made it.
func TestPlacesAreNamed(t *testing.T) {
	emulation.SkipFork(t)
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string][]string{
		"goroutine": {"created by ", "leak.leaveGoroutine", "leak_test.go:"},
		"socket":    {"descriptor ", "socket:", "leak_test.go:"},
		"mapping":   {"mapping 0x", "/memfd:left", "leak_test.go:"},
		"file":      {`left "left"`},
		"more":      {"mapping 0x", "/memfd:allowed", "leak_test.go:"},
		"once":      {"left no descriptor and no mapping when they ran once more", "descriptor ", "socket:"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(own, "-test.run=^TestLeaves$", "-leave="+kind)
			c.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
			out, err := c.CombinedOutput()
			if err == nil {
				t.Errorf("the tests passed:\n%s", out)
			}
			for _, text := range want {
				if !bytes.Contains(out, []byte(text)) {
					t.Errorf("no %q in:\n%s", text, out)
				}
			}
		})
	}
}

// TestAllowedIsLeft holds that what a package allows does not fail its tests.
func TestAllowedIsLeft(t *testing.T) {
	emulation.SkipFork(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(own, "-test.run=^TestLeaves$", "-leave=allowed").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestParse holds the parts of strace's output that the other test may not meet.
func TestParse(t *testing.T) {
	trace := strings.Join([]string{
		`10 openat(AT_FDCWD, "/a", O_RDONLY) = 3`,
		` > /bin/x(one) [0x1]`,
		`10 clone(child_stack=0xc0, flags=CLONE_VM|CLONE_THREAD <unfinished ...>`,
		`11 pipe2( <unfinished ...>`,
		`10 <... clone resumed>, tls=0xc) = 11`,
		`11 <... pipe2 resumed>[4, 5], O_CLOEXEC) = 0`,
		` > /bin/x(two) [0x2]`,
		`12 openat(AT_FDCWD, "/of another process", O_RDONLY) = 3`,
		` > /bin/x(three) [0x3]`,
		`10 recvmsg(7, {msg_control=[{cmsg_type=SCM_RIGHTS, cmsg_data=[8]}], msg_controllen=20}, 0) = 1`,
		` > /bin/x(four) [0x4]`,
		`10 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 8, 0) = 0x7f00`,
		` > /bin/x(five) [0x5]`,
		`10 openat(AT_FDCWD, "/b", O_RDONLY) = -1 ENOENT (No such file or directory)`,
		` > /bin/x(six) [0x6]`,
	}, "\n")
	got := parse(trace, func(_, symbol string, _ uint64) string { return symbol })
	for made, want := range map[string]string{"3": "one", "4": "two", "5": "two", "8": "four", "0x7f00": "five"} {
		if !strings.HasSuffix(got[made], "\t"+want+"\n") {
			t.Errorf("%s was made by %q, want %s", made, got[made], want)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d places, want 5: %v", len(got), got)
	}
}

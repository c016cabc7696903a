package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// ourProcesses lists the processes that run a program in [bin].
func ourProcesses() (list []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && filepath.Dir(exe) == bin && exe != os.Args[0] {
			list = append(list, filepath.Base(exe)+" "+filepath.Base(filepath.Dir(link)))
		}
	}
	return list
}

// unixSockets returns the names of this host's abstract sockets of embedded devices, by inode.
func unixSockets(t tb) map[string]string {
	t.Helper()
	data, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatalf("%v", err)
	}
	sockets := map[string]string{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 8 && strings.HasPrefix(f[7], "@ibperf") {
			sockets[f[6]] = f[7]
		}
	}
	return sockets
}

// noteSockets adds the process's abstract sockets to its field sockets for [process.wantSocketsGone],
// and returns their number. It checks that the process has no file in /dev/shm open.
func (p *process) noteSockets() int {
	p.t.Helper()
	all := unixSockets(p.t)
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.cmd.Process.Pid))
	for _, fd := range fds {
		what, err := os.Readlink(fd)
		if err != nil {
			continue
		}
		if strings.HasPrefix(what, "/dev/shm/") {
			p.t.Fatalf("%s has %s open, want no file in /dev/shm", p.name, what)
		}
		if inode, ok := strings.CutPrefix(what, "socket:["); ok {
			if name := all[strings.TrimSuffix(inode, "]")]; name != "" {
				p.sockets[name] = true
			}
		}
	}
	return len(p.sockets)
}

// wantSocketsGone checks that a process that has ended left no socket and no file in /dev/shm.
func (p *process) wantSocketsGone() {
	p.t.Helper()
	for _, name := range unixSockets(p.t) {
		if p.sockets[name] {
			p.t.Fatalf("%s left the socket %s", p.name, name)
		}
	}
	for _, file := range sharedFiles() {
		if !slices.Contains(sharedBefore, file) {
			p.t.Fatalf("%s is left", file)
		}
	}
}

// sharedBefore has the files of /dev/shm that were there before the tests, which no process of them has left.
var sharedBefore = sharedFiles()

// sharedFiles returns the files in /dev/shm with the name of the project.
func sharedFiles() []string {
	files, _ := filepath.Glob("/dev/shm/*ibperf*")
	return files
}

// cpuTicks returns the CPU time of the process, in hundredths of a second.
func (p *process) cpuTicks() int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	f := statFields(data)
	const user, system = 11, 12 // utime and stime in proc(5), counted from the state
	u, _ := strconv.Atoi(f[user])
	s, _ := strconv.Atoi(f[system])
	return u + s
}

// statFields returns the fields of a file /proc/PID/stat that follow the command's name.
func statFields(data []byte) []string {
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// awaitMeasurement waits until the process has printed the lines above the rows: its first measurement
// begins.
func (p *process) awaitMeasurement() {
	p.t.Helper()
	p.await("header", func() bool { return strings.Contains(p.out.String(), "answer at peer") })
}

// awaitCPUTime waits until the process has used some more hundredths of a second of CPU time.
func (p *process) awaitCPUTime(ticks int) {
	p.t.Helper()
	before := p.cpuTicks()
	p.await("progress", func() bool { return p.cpuTicks() >= before+ticks })
}

// connected waits until a client has connected to a port of this host and has sent something. The
// server is stopped, so the bytes wait in its socket's receive queue.
func connected(t tb, port string) {
	t.Helper()
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatalf("port %q is not a number", port)
	}
	local := fmt.Sprintf("0100007F:%04X", n) // 127.0.0.1
	const established = "01"
	err = waitUntil(patience, func() bool {
		data, err := os.ReadFile("/proc/net/tcp")
		if err != nil {
			t.Fatalf("%v", err)
		}
		for line := range strings.Lines(string(data)) {
			f := strings.Fields(line)
			if len(f) > 4 && f[1] == local && f[3] == established && !strings.HasSuffix(f[4], ":00000000") {
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatalf("no client has sent anything to port %s", port)
	}
}

// reservePort returns a port of 127.0.0.1 on which no server listens. A socket with SO_REUSEADDR is
// bound to it, so that the kernel gives it to no other process, and a server may still listen on it.
func reservePort(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	addr, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(addr.(*syscall.SockaddrInet4).Port)
}

// failedConnects returns the number of failed TCP connection attempts on this host.
func failedConnects(t tb) int {
	t.Helper()
	data, err := os.ReadFile("/proc/net/snmp")
	if err != nil {
		t.Fatalf("%v", err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "Tcp:" {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i, name := range names {
			if name == "AttemptFails" {
				n, _ := strconv.Atoi(f[i])
				return n
			}
		}
	}
	t.Fatalf("no counter of failed connects in /proc/net/snmp")
	return 0
}

// listen returns a listener of the test's own and its port.
func listen(t *testing.T) (l net.Listener, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return l, port
}

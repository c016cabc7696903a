package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// ourProcesses lists the processes that run a program of this test.
func ourProcesses() (list []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && filepath.Dir(exe) == bin && exe != os.Args[0] {
			list = append(list, filepath.Base(exe)+" "+filepath.Base(filepath.Dir(link)))
		}
	}
	return list
}

// unixSockets returns the names of all of this host's abstract sockets of
// embedded devices, by inode.
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

// note remembers the process's abstract sockets, so that [process.gone] can look
// for them, and checks that it has nothing in /dev/shm. It returns their number.
func (p *process) note() int {
	p.t.Helper()
	all := unixSockets(p.t)
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.cmd.Process.Pid))
	for _, fd := range fds {
		what, err := os.Readlink(fd)
		if err != nil {
			continue
		}
		if strings.HasPrefix(what, "/dev/shm/") {
			p.t.Fatalf("%s has %s open", p.name, what)
		}
		if inode, ok := strings.CutPrefix(what, "socket:["); ok {
			if name := all[strings.TrimSuffix(inode, "]")]; name != "" {
				p.seen[name] = true
			}
		}
	}
	return len(p.seen)
}

// gone checks that the sockets of a process that has ended are.
func (p *process) gone() {
	p.t.Helper()
	for _, name := range unixSockets(p.t) {
		if p.seen[name] {
			p.t.Fatalf("%s has left the socket %s", p.name, name)
		}
	}
	if files, _ := filepath.Glob("/dev/shm/*ibperf*"); len(files) > 0 {
		p.t.Fatalf("in /dev/shm is %s", files)
	}
}

// cpuTicks returns how long the process has computed, in hundredths of a second.
func (p *process) cpuTicks() int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	f := statFields(data)
	const user, system = 11, 12 // behind the name
	u, _ := strconv.Atoi(f[user])
	s, _ := strconv.Atoi(f[system])
	return u + s
}

// statFields splits what stands behind the name in a file /proc/PID/stat.
func statFields(data []byte) []string {
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// runs waits until the process is within its first measurement: what stands
// over the rows is printed, and computing goes on.
func (p *process) runs() {
	p.t.Helper()
	p.await("header", func() bool { return strings.Contains(p.out.String(), "answer at peer") })
}

// works waits until a process has computed for some more hundredths of a second.
func (p *process) works(ticks int) {
	p.t.Helper()
	before := p.cpuTicks()
	p.await("progress", func() bool { return p.cpuTicks() >= before+ticks })
}

// connected waits until a client has connected to the port of this host, whose server has
// stopped, and has said something.
func connected(t tb, port string) {
	t.Helper()
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatalf("port %q", port)
	}
	local := fmt.Sprintf("0100007F:%04X", n) // 127.0.0.1
	const established = "01"
	err = until(patience, func() bool {
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
		t.Fatalf("no client has said anything at port %s", port)
	}
}

// reservePort returns a port of 127.0.0.1 at which nobody listens. It is bound,
// so that it is not given to others, in a way that a server may still take it.
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

// failedConnects returns how many attempts to connect have failed on this host.
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

// listen makes a server of the test's own.
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

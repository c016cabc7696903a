package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ibperf/ibperf/result"
)

// Outputs that cannot be written end in a message, and leave nothing behind.
var fileAttacks = []attack{
	{"a result file that is a FIFO without a reader, or a dangling link", 20, 1, badResultFiles},
	{"two clients with the same result file, at once", 20, 1, oneResultFile},
}

func badResultFiles(t *trial) error {
	server, addr, err := t.serve("ib_write_lat", "--persistent")
	if err != nil {
		return err
	}
	fifo, link := filepath.Join(t.dir, "ready-fifo"), filepath.Join(t.dir, "ready-link")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(t.dir, "missing", "file"), link); err != nil {
		return err
	}
	for path, why := range map[string]string{fifo: "no process reads it", link: "does not exist"} {
		client, err := t.connect("ib_write_lat", addr, "--out_json_file", path, "-n", "100")
		if err != nil {
			return err
		}
		if err := client.exits(statusOther, patience); err != nil {
			return err
		}
		if err := want(strings.Contains(client.stderr(), why), "no %q in %s", why, client.stderr()); err != nil {
			return err
		}
	}
	server.kill()
	return t.leaves()
}

// oneResultFile has two clients write the same file. The later one notices, says so, and writes another one beside it:
// nothing is lost.
func oneResultFile(t *trial) error {
	_, addr, err := t.serve("ib_write_lat", "--persistent")
	if err != nil {
		return err
	}
	path := filepath.Join(t.dir, "both.json")
	var clients [2]*process
	for i := range clients {
		if clients[i], err = t.connect("ib_write_lat", addr, "-n", "1000", "--out_json_file", path); err != nil {
			return err
		}
	}
	files := 1
	for _, c := range clients {
		status, err := c.wait(patience)
		if err != nil {
			return err
		}
		late := strings.Contains(c.stderr(), "another process has written it since this one began: the output of this one is in ")
		if err := want(status == statusDone || status == statusOther && late, "%s ended with status %d: %s", c.name, status, c.stderr()); err != nil {
			return err
		}
		files += status
	}
	all, err := filepath.Glob(filepath.Join(t.dir, "both*"))
	if err != nil {
		return err
	}
	for _, file := range all {
		if _, err := result.Read(file); err != nil {
			return err
		}
	}
	return want(len(all) == files, "%d files of two clients, want %d: %s", len(all), files, strings.Join(all, ", "))
}

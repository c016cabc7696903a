package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// conformed runs ib_conform without a worker, and returns the program with its output.
func conformed(t *testing.T, args ...string) (*program, error) {
	t.Helper()
	p := newProgram(t)
	return p, p.app(option.ConformProgram, nil, args).conform(p.ctx, args)
}

func TestConformRefuses(t *testing.T) {
	own := filepath.Join(t.TempDir(), "quirks")
	if err := os.WriteFile(own, []byte("V1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]struct {
		status int
		text   string
	}{
		"--loopback -d nope":                            {StatusDevice, "there are: "},
		"--loopback -d fakelocked":                      {StatusDevice, "permission denied"},
		"--loopback -d fakedown":                        {StatusDevice, "not ACTIVE"},
		"--loopback -d fake0":                           {StatusUsage, "--may-crash"},
		"--loopback node1":                              {StatusUsage, "leave one of them out"},
		"--loopback -p 5":                               {StatusUsage, "--port is about the connection"},
		"--loopback --run (":                            {StatusUsage, "error parsing regexp"},
		"--loopback --run CQ":                           {StatusUsage, "no statement has such an id"},
		"--loopback --run DEV-2":                        {StatusUsage, "leaves out"},
		"--loopback --quirks /dev/null/x":               {StatusOther, "not a directory"},
		"--loopback --quirks " + own:                    {StatusUsage, own + ":1: "},
		"--loopback --out_json_file /dev/null/x":        {StatusOther, "not a directory"},
		"--run CQ-1":                                    {StatusUsage, "give a server's host"},
		"--out_json":                                    {StatusUsage, "give a server's host"},
		"--ready-file x node1":                          {StatusUsage, "option of the server"},
		"-d shm_whole --connect-timeout 0 -p 1 ::1":     {StatusPeer, "connection refused"},
		"--test.v --loopback":                           {StatusUsage, "unknown option"},
		"--size 4":                                      {StatusUsage, "--size is an option of the tests"},
		"--bind_source_ip 127.0.0.1 -p 0 -d fakelocked": {StatusDevice, "permission denied"},
	} {
		_, err := conformed(t, strings.Fields(args)...)
		wantEnd(t, args, err, want.status, want.text)
	}
}

func TestConformHelp(t *testing.T) {
	for _, args := range []string{"--help", "-d nope -h"} {
		p, err := conformed(t, strings.Fields(args)...)
		if said := p.out.String(); err != nil || !strings.Contains(said, "--may-crash") || !strings.Contains(said, "\n  8  a statement") || strings.Contains(said, "-test.") {
			t.Errorf("%v\n%s", err, said)
		}
	}
}

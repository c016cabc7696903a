package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "caps.json")
	out := &buffer{}
	if err := printCaps(newConsole(out, out), capsProgram, []string{"-d", "shm_block128", "--out_json_file", path}); err != nil {
		t.Fatal(err)
	}
	promise := "aligned 128-byte blocks"
	if runtime.GOARCH != "amd64" {
		promise = "not promised"
	}
	data, err := os.ReadFile(path)
	for _, text := range []string{out.String(), string(data)} {
		if err != nil || !strings.Contains(text, "shm_block128") || !strings.Contains(text, promise) {
			t.Errorf("said %s, %v", text, err)
		}
	}
}

func TestCapsRefuses(t *testing.T) {
	for args, want := range map[string]struct {
		status int
		text   string
	}{
		"-d nope":                     {StatusDevice, "there are: "},
		"-d fakelocked":               {StatusDevice, "permission denied"},
		"node1":                       {StatusUsage, "named with -d"},
		"--ib_devs x":                 {StatusUsage, "did you mean --ib-dev?"},
		"--port 1":                    {StatusUsage, "--port is an option of the tests"},
		"--out_json_file /dev/null/x": {StatusOther, "not a directory"},
	} {
		out := &buffer{}
		err := printCaps(newConsole(out, out), capsProgram, strings.Fields(args))
		wantEnd(t, args, err, want.status, want.text)
	}
}

func TestCapsHelp(t *testing.T) {
	out := &buffer{}
	if err := printCaps(newConsole(out, out), capsProgram, []string{"-h"}); err != nil || !strings.Contains(out.String(), "--ib-dev") {
		t.Errorf("help: %s, %v", out, err)
	}
}

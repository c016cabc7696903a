package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is that of result files, which knows all members.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(result.Schema(true)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("result", text); err != nil {
		return nil, err
	}
	return c.Compile("result")
})

// holdToSchema holds all result files in the place to the schema.
func (p *place) holdToSchema() {
	p.t.Helper()
	s, err := schema()
	if err != nil {
		p.t.Fatalf("the schema of result files: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(p.dir, "*.json"))
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	for _, path := range files {
		f, err := result.Read(path)
		if err != nil || f.Version != result.FormatVersion {
			continue // no result file, or an old one
		}
		data, err := os.ReadFile(path)
		if err != nil {
			p.t.Fatalf("%v", err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = s.Validate(value)
		}
		if err != nil {
			p.t.Fatalf("%s: %v", path, err)
		}
	}
}

// The lines of Python in docs/RESULTS.md read a result file.
func TestPythonReadsResults(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	docs, err := os.ReadFile("../../docs/RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(docs)
	if code == nil || bytes.Count(code[1], []byte("\n")) != 5 {
		t.Fatal("docs/RESULTS.md has no five lines of Python")
	}
	p := newPlace(t, "*.json")
	p.run(statusDone, "ib_send_lat", "", "-d shm_whole -s 8,64 -n 200 --out_json_file lat.json")
	cmd := exec.Command(python, "-c", string(code[1]))
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`^8 poll [0-9.]+ [0-9.]+$`).MatchString(lines[0]) || !strings.Contains(lines[2], "'software-device'") {
		t.Errorf("Python printed\n%s", out)
	}
}

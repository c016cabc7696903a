package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
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

// holdToSchema holds all result files in the place and its folders to the schema, and those that
// processes have printed. What ends in .json has to be JSON.
func (p *place) holdToSchema() {
	p.t.Helper()
	err := filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return holdsToSchema(path, data)
	})
	for _, proc := range p.all {
		if text := proc.out.String(); err == nil && strings.HasPrefix(text, "{") {
			err = holdsToSchema("stdout of "+proc.name, []byte(text))
		}
	}
	if err != nil {
		p.t.Fatalf("%v", err)
	}
}

// holdsToSchema reads JSON documents one after another, and holds those that are result files of
// this version to the schema.
func holdsToSchema(name string, data []byte) error {
	s, err := schema()
	if err != nil {
		return fmt.Errorf("the schema of result files: %w", err)
	}
	for documents, n := json.NewDecoder(bytes.NewReader(data)), 0; ; n++ {
		var document json.RawMessage
		if err := documents.Decode(&document); err == io.EOF && n > 0 {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s is no JSON: %w", name, err)
		}
		var head struct {
			Format  string
			Version int
		}
		if json.Unmarshal(document, &head) != nil || head.Format != result.FormatName || head.Version != result.FormatVersion {
			continue // no result file, or one of another version
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err == nil {
			err = s.Validate(value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// What is held to the schema has to be JSON, and to have no member that the schema does not know.
func TestSchemaRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"format":"ibperf-result","version":3`: "no JSON", "": "no JSON", `{} {`: "no JSON",
		`{"a":1}`: "", `{"format":"ibperf-result","version":3,"odd":1}`: "odd", `{} {"format":"ibperf-result","version":3}`: "missing",
	} {
		if err := holdsToSchema("x", []byte(text)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
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

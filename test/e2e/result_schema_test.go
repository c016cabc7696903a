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

	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas returns the compiled schemas of result files and verdicts, which refuse unknown members, by the format and the
// version of the document.
var schemas = sync.OnceValues(func() (map[result.Header]*jsonschema.Schema, error) {
	all := map[result.Header]*jsonschema.Schema{}
	cluster, err := os.ReadFile(filepath.Join("..", "..", "docs", "cluster.schema.json")) // of a package that tests cannot import
	if err != nil {
		return nil, err
	}
	for head, text := range map[result.Header][]byte{
		result.FileHeader(): result.Schema(true),
		{Format: verdict.FormatName, Version: verdict.FormatVersion}: verdict.Schema(true),
		{Format: "ibperf-cluster", Version: 1}:                       cluster,
	} {
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(head.Format, schema); err != nil {
			return nil, err
		}
		if all[head], err = c.Compile(head.Format); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// checkSchema validates all result files in the workspace and its folders, and those that processes
// printed. A file *.json has to be JSON.
func (w *workspace) checkSchema() {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return validateResults(path, data)
	})
	for _, proc := range w.all {
		if text := proc.out.String(); err == nil && strings.HasPrefix(text, "{") {
			err = validateResults("stdout of "+proc.name, []byte(text))
		}
	}
	if err != nil {
		w.t.Fatalf("%v", err)
	}
}

// validateResults reads JSON documents one after another, and validates those that are result files or verdicts of
// this version.
func validateResults(name string, data []byte) error {
	known, err := schemas()
	if err != nil {
		return fmt.Errorf("the schemas: %w", err)
	}
	for documents, n := json.NewDecoder(bytes.NewReader(data)), 0; ; n++ {
		var document json.RawMessage
		if err := documents.Decode(&document); err == io.EOF && n > 0 {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s is not JSON: %w", name, err)
		}
		var head result.Header
		if json.Unmarshal(document, &head) != nil || known[head] == nil {
			continue // another document, or another version
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
		if err == nil {
			err = known[head].Validate(value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// TestSchemaRefuses text that is not JSON, and result files that lack a member or have an unknown one.
func TestSchemaRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"format":"ibperf-result","version":3`: "not JSON", "": "not JSON", `{} {`: "not JSON",
		`{"a":1}`: "", `{"format":"ibperf-result","version":3,"odd":1}`: "odd", `{} {"format":"ibperf-result","version":3}`: "missing",
	} {
		if err := validateResults("x", []byte(text)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestPythonReadsResults runs the lines of Python in docs/RESULTS.md on a result file.
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
	w := newWorkspace(t, "*.json")
	w.runPair(statusDone, "ib_send_lat", "", "-d shm_whole -s 8,64 -n 200 --out_json_file lat.json")
	cmd := exec.Command(python, "-c", string(code[1]))
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`^8 poll [0-9.]+ [0-9.]+$`).MatchString(lines[0]) || !strings.Contains(lines[2], "'software-device'") {
		t.Errorf("Python printed\n%s", out)
	}
}

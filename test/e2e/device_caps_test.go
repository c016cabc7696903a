package e2e

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDeviceCapsAreThoseOfDevinfo: ib_caps reports each name and value of ibv_devinfo -v.
func TestDeviceCapsAreThoseOfDevinfo(t *testing.T) {
	w, _ := onDevice(t, "*.json")
	w.start("ib_caps", "-d", *deviceName, "--out_json_file", "caps.json").exits(statusDone, patience)
	out, err := exec.Command("ibv_devinfo", "-v", "-d", *deviceName).CombinedOutput()
	if err != nil {
		t.Fatalf("ibv_devinfo: %v\n%s", err, out)
	}
	ours := capsValues(t, filepath.Join(w.dir, "caps.json"))
	compared := 0
	for name, theirs := range devinfo(t, string(out)) {
		if other := renamed[name]; other != "" {
			name = other
		}
		mine, found := ours[name]
		switch {
		case !found:
			t.Errorf("ibv_devinfo reports %s: %s, ib_caps does not", name, theirs)
		case normal(mine) != normal(theirs):
			t.Errorf("ib_caps reports %s: %s, ibv_devinfo %s", name, mine, theirs)
		}
		compared++
	}
	if compared < 70 {
		t.Errorf("ibv_devinfo has %d values, want 70 or more\n%s", compared, out)
	}
}

// renamed holds libibverbs' names of values that ibv_devinfo names otherwise.
var renamed = map[string]string{"port_lid": "lid", "port_lmc": "lmc", "hca_id": "name"}

// capsValues flattens ib_caps' file of one device with one port.
func capsValues(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Devices []struct {
			Name       string
			Attributes map[string]map[string]any
			Ports      []struct {
				Port       int
				Attributes map[string]any
				GIDs       []struct {
					Index     int
					GID, Type string
				}
			}
		}
	}
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber() // max_mr_size has 64 bits
	if err := numbers.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	d := doc.Devices[0]
	values := map[string]string{"name": d.Name, "port": strconv.Itoa(d.Ports[0].Port)}
	add := func(group map[string]any) {
		for name, v := range group {
			text, _ := json.Marshal(v)
			values[name] = strings.Trim(string(text), `"`)
		}
	}
	for _, group := range d.Attributes {
		add(group)
	}
	add(d.Ports[0].Attributes)
	for _, g := range d.Ports[0].GIDs {
		values["GID"+strconv.Itoa(g.Index)] = netip.MustParseAddr(g.GID).String() + ", " + g.Type
	}
	return values
}

var (
	gidLine = regexp.MustCompile(`^GID\[ *(\d+)\]:\s+(.*)$`)
	capName = regexp.MustCompile(`^[A-Z0-9_ ]+$`)
)

// devinfo returns the values in the output of ibv_devinfo -v by their names.
func devinfo(t *testing.T, out string) map[string]string {
	t.Helper()
	values := map[string]string{}
	last := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if m := gidLine.FindStringSubmatch(line); m != nil {
			values["GID"+m[1]] = m[2]
			continue
		}
		name, value, pair := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case line == "":
		case line == "completion_timestamp_mask not supported":
			values["completion_timestamp_mask"] = "0"
		case line == "core clock not supported":
			values["hca_core_clock"] = "0"
		case line == "tag matching not supported":
			values["max_num_tags"] = "0"
		case name == "Unknown flags": // bits without a name of such a mask
		case pair && value == "":
			last = name // a title, or a list of names follows
		case pair:
			values[name], last = value, name
		case line == "NO SUPPORT":
			values[last] = "0"
		case capName.MatchString(line): // names of the bits of a mask whose number is compared
		default:
			t.Errorf("line %q of ibv_devinfo is unknown to this test", line)
		}
	}
	return values
}

var (
	inParentheses = regexp.MustCompile(`^(.*) \((\w+)\)$`)
	number        = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|\d+)(kbps)?$`)
)

// codes holds the numbers of values that the two programs name differently.
var codes = map[string]string{"InfiniBand": "0", "hca": "1", "none": "0", "glob": "2", "ACTIVE": "4"}

// normal returns a value in a form that can be compared: a number in decimal, a name as its code, an
// MTU in bytes.
func normal(v string) string {
	if m := inParentheses.FindStringSubmatch(v); m != nil {
		v = m[2]
		if number.MatchString(m[1]) && m[1] != m[2] {
			v = m[1] // "4096 (5)": the bytes
		}
	}
	if code, ok := codes[v]; ok {
		v = code
	}
	if m := number.FindStringSubmatch(v); m != nil {
		if n, err := strconv.ParseUint(m[1], 0, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
	}
	return v
}

//go:build linux && cgo

package ibv

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Tests of ib_conform on kinds of the stub. They may not use package conform, which is above this one.

// buildConform builds ib_conform, and returns its file.
func buildConform(t *testing.T) string {
	t.Helper()
	withoutDevice(t)
	program := filepath.Join(t.TempDir(), "ib_conform")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/ib_conform").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// conformReport has the members of a report that the tests look at.
type conformReport struct {
	Device struct {
		Driver, Part, Board, Firmware string
		PCIAddress                    string `json:"pci_address"`
		LinkRate                      string `json:"link_rate"`
	}
	Quirks     []struct{ ID string }
	Unmatched  []struct{ ID, Why string } `json:"unmatched_quirks"`
	Statements []struct {
		ID, Result, Reason string
		Quirks             []string
		NotRun             []string `json:"not_run"`
	}
	Capabilities struct {
		Attributes struct {
			Identity struct {
				Firmware string `json:"fw_ver"`
			}
		}
	}
	status int
	text   string
}

// withResult returns the ids of the statements with a result.
func (r *conformReport) withResult(result string) (ids []string) {
	for _, s := range r.Statements {
		if s.Result == result {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// runConform runs ib_conform on a kind of stub.
func runConform(t *testing.T, program string, args []string, env ...string) (r conformReport) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	cmd := stubCommand(t, "", slices.Concat([]string{sharedFile(t)}, env)...)
	cmd.Path = program
	cmd.Args = append([]string{program, "--loopback", "--may-crash", "-d", stub, "--out_json_file", file}, args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	r.status, r.text = cmd.ProcessState.ExitCode(), string(out)
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	return r
}

// runAll runs all statements, whose ids match, in several processes at once.
func runAll(t *testing.T, program string, args []string, env ...string) (all conformReport) {
	t.Helper()
	shares := sharesOf(".*")
	reports := make([]conformReport, len(shares))
	var running sync.WaitGroup
	for i, ids := range shares {
		running.Go(func() {
			reports[i] = runConform(t, program, append([]string{"--run", strings.Join(ids, "|")}, args...), env...)
		})
	}
	running.Wait()
	all = reports[0]
	for _, r := range reports[1:] {
		all.Statements = append(all.Statements, r.Statements...)
		all.status = max(all.status, r.status)
		all.text += r.text
	}
	return all
}

// cardInSysfs makes the folder of a ConnectX-7 in a sysfs of its own, and returns it as the stub's.
func cardInSysfs(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"pci/0000:3b:00.0", "drivers/mlx5_core", "modules/mlx5_core", "mlx5_0/ports/1"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"mlx5_0/device": "../pci/0000:3b:00.0", "pci/0000:3b:00.0/driver": "../../drivers/mlx5_core", "drivers/mlx5_core/module": "../../modules/mlx5_core",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"mlx5_0/board_id": "MT_0000000838\n", "mlx5_0/ports/1/rate": "400 Gb/sec (4X NDR)\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return "STUB_SYSFS=" + filepath.Join(root, "mlx5_0")
}

// TestConformOnAConnectX: on a card without a fault ib_conform ends with status 0, though 25 statements
// describe what mlx5 does otherwise.
func TestConformOnAConnectX(t *testing.T) {
	t.Parallel()
	program := buildConform(t)
	own := filepath.Join(t.TempDir(), "own.txt")
	quirk := "quirk: V1\npart: 0x2c9:4129\nfirmware: below 28\nfails: CQ-1\ndoes: nothing of the kind\nsource: this test\n"
	if err := os.WriteFile(own, []byte(quirk), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runAll(t, program, []string{"--quirks", own}, "STUB_CONNECTX=1", "STUB_MLX5=1", cardInSysfs(t))
	if r.status != 0 {
		t.Fatalf("status %d, %v differ\n%s", r.status, r.withResult("differs"), r.text)
	}
	skipped, quirks := map[string]bool{}, map[string]string{}
	for _, s := range r.Statements {
		if s.Reason == "the device does not support RTS to SQD" || slices.Contains(s.NotRun, s.Reason) {
			skipped[s.ID] = true
		}
		quirks[s.ID] = strings.Join(s.Quirks, " ")
	}
	for _, id := range []string{"QPS-19", "QPS-25", "QPS-26", "QPS-27", "QPS-31", "QRY-10"} {
		if !skipped[id] {
			t.Errorf("%s is not skipped for SQD", id)
		}
	}
	if held := r.withResult("ok"); !subset([]string{"QPS-2", "QPS-5", "QPS-6", "QPS-7", "QPS-18", "QPS-24", "QPS-35", "QRY-12", "DIO-8", "AEV-2", "AEV-3", "AEV-4", "E-9", "MC-3"}, held) {
		t.Errorf("of the statements with parts about SQD these hold: %v", held)
	}
	for id, want := range map[string]string{"QPS-17": "M1", "E-13": "M1", "ABI-8": "M1", "CHN-5": "M3", "CHN-11": "M3"} {
		if quirks[id] != want {
			t.Errorf("%s met %q, want %s", id, quirks[id], want)
		}
	}
	d := r.Device
	if d.Driver != "mlx5_core" || d.Part != "0x02c9:4129" || d.Board != "MT_0000000838" || d.Firmware != "28.39.2048" || d.PCIAddress != "0000:3b:00.0" ||
		d.LinkRate != "400 Gb/sec (4X NDR)" || r.Capabilities.Attributes.Identity.Firmware != d.Firmware {
		t.Errorf("device %+v, capabilities %+v", d, r.Capabilities)
	}
	for _, line := range []string{
		"driver mlx5_core, part 0x02c9:4129, board MT_0000000838, firmware 28.39.2048, PCI address 0000:3b:00.0, link rate 400 Gb/sec (4X NDR), ibperf ",
		"    fw_ver:                          28.39.2048\n",
		"quirk V1 matched nothing: firmware is 28.39.2048, not below 28\n",
	} {
		if !strings.Contains(r.text, line) {
			t.Errorf("the text lacks %q", line)
		}
	}
}

func subset(of, all []string) bool {
	return !slices.ContainsFunc(of, func(id string) bool { return !slices.Contains(all, id) })
}

// TestConformFindsFaults: each fault of a ConnectX makes a statement differ: status 8.
func TestConformFindsFaults(t *testing.T) {
	t.Parallel()
	program := buildConform(t)
	for name, c := range map[string]struct{ statements, differs string }{
		"data":       {"RMA-20|CQ-1", "RMA-20"},
		"completion": {"CQ-8|CQ-1", "CQ-8"},
		"status":     {"ERR-11|CQ-1", "ERR-11"},
		"event":      {"CHN-3|CQ-1", "CHN-3"},
		"state":      {"QPS-29|CQ-1", "QPS-29"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runConform(t, program, []string{"--run", c.statements}, "STUB_CONNECTX=1", "STUB_MLX5=1", cardInSysfs(t), "STUB_FAULT="+name)
			if got := strings.Join(r.withResult("differs"), " "); r.status != 8 || got != c.differs {
				t.Errorf("status %d, %q differ, want 8 and %s\n%s", r.status, got, c.differs, r.text)
			}
		})
	}
}

// TestConformOnPartsOfADevice: a device without some types of QPs is tested for what it has.
func TestConformOnPartsOfADevice(t *testing.T) {
	t.Parallel()
	program := buildConform(t)
	for name, c := range map[string]struct {
		env  []string
		held *regexp.Regexp // statements that are not skipped
	}{
		"RC alone": {[]string{"STUB_TYPES=0x4", "STUB_XRC=0"}, regexp.MustCompile(`^(CQ-[1-9]|SND-6|RMA-1|ERR-11|QPS-2|SRQ-11|AEV-3)$`)},
		"EFA":      {[]string{efaWithRDMA, "STUB_OVERTAKE=3", "STUB_XRC=0"}, regexp.MustCompile(`^(SRD-([1-9]|10|11|12|13)|UD-1|UD-9|CQ-1|PORT-1)$`)},
		"old EFA":  {[]string{efaWithoutRDMA, "STUB_XRC=0"}, regexp.MustCompile(`^(SRD-[124-9]|UD-1|CQ-1)$`)},
		"UD alone": {[]string{"STUB_TYPES=0x10", "STUB_XRC=0"}, regexp.MustCompile(`^(UD-1|UD-5|UD-9|MC-8|DEV-4|CQ-1|DEV-1|QPS-2|SND-1)$`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runAll(t, program, nil, c.env...)
			if r.status != 0 {
				t.Errorf("status %d, %v differ\n%s", r.status, r.withResult("differs"), r.text)
			}
			for _, row := range verbstest.Coverage() {
				if c.held.MatchString(row.ID) && !slices.Contains(r.withResult("ok"), row.ID) {
					t.Errorf("%s is not ok", row.ID)
				}
			}
		})
	}
}

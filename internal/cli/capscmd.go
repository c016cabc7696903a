package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/caps"
	"github.com/ibperf/ibperf/internal/terminal"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// capsProgram is the name of the program behind [Caps].
const capsProgram = "ib_caps"

// capsOptions is what its command line says.
type capsOptions struct {
	device        string // empty: all
	json          bool
	jsonFile      string
	help, version bool
}

// Caps runs ib_caps: args with the program's name, as in os.Args. It returns
// the exit status.
func Caps(args []string, stdout, stderr io.Writer) int {
	c := newConsole(stdout, stderr)
	return guarded(capsProgram, c, func(context.Context) error { return runCaps(c, args[1:]) })
}

func runCaps(c *console, args []string) error {
	var o capsOptions
	f := defineCaps(&o)
	if err := f.parse(args); err != nil {
		return err
	}
	if o.help || o.version {
		text := version.Line(capsProgram)
		if o.help {
			text = capsHelp(f, c.width())
		}
		_, err := io.WriteString(c, text)
		return err
	}
	if f.set.NArg() > 0 {
		return usage(fmt.Sprintf("%s takes no arguments; a device is named with -d", capsProgram))
	}
	if o.json = o.json || f.given("out_json_file"); o.json {
		if err := checkWritable(o.jsonFile); err != nil {
			return err
		}
	}
	return collectCaps(c, &o)
}

func defineCaps(o *capsOptions) *flags {
	o.jsonFile = capsProgram + ".json"
	f := newFlags()
	f.group("Options")
	f.text(&o.device, "ib-dev", "d", "NAME", "this device only (default the environment variable "+option.DeviceVariable+", else all that are listed); a seed may follow, shm_unordered:seed=7")
	f.toggle(&o.json, "out_json", "", "write a JSON file too")
	f.text(&o.jsonFile, "out_json_file", "", "PATH",
		"name of that file (default "+o.jsonFile+"); implies --out_json")
	f.toggle(&o.help, "help", "h", "print this text")
	f.toggle(&o.version, "version", "V", "print the version")
	return f
}

func capsHelp(f *flags, width int) string {
	var b strings.Builder
	b.WriteString(capsProgram + " tells what RDMA devices can do and promise, above all the order of incoming data.\n")
	b.WriteString("\nUsage:\n  " + capsProgram + " [options]\n")
	writeGroups(&b, f, textWidth(width))
	b.WriteString("\nExample:\n  " + capsProgram + " -d mlx5_0\n")
	b.WriteString("\nExit status:\n  0  done\n  1  output not written, or anything not below\n" +
		"  2  options wrong\n  3  device missing, or no permission\n")
	return b.String()
}

// collectCaps prints what could be found out, and then fails if that is not all.
func collectCaps(c *console, o *capsOptions) error {
	named, err := chooseNamed(o.device)
	if err != nil {
		return err
	}
	(&voice{console: c}).announce(named)
	var report *caps.Report
	if named.device != nil {
		report, err = caps.Collect([]verbs.Device{named.device}, ownRelease)
	} else {
		report, err = caps.CollectAll(ownRelease)
	}
	if err != nil {
		err = &harness.DeviceError{Err: err}
	}
	err = errors.Join(err, report.WriteText(c))
	if o.json {
		err = errors.Join(err, writeJSON(o.jsonFile, report))
	}
	return err
}

// capsOf is what a device can do, as ib_caps writes it. What could not be found out is told
// in there.
func capsOf(d verbs.Device) json.RawMessage {
	report, _ := caps.Collect([]verbs.Device{d}, ownRelease) // which has the error, too
	data, err := json.Marshal(report)
	if err != nil {
		return nil
	}
	return data
}

// keepCaps writes what the devices of both sides can do. A server that did not tell is no
// reason to end.
func (v *visit) keepCaps(peer json.RawMessage) error {
	for name, report := range map[string]json.RawMessage{"caps-client.json": capsOf(v.device), "caps-server.json": peer} {
		var b bytes.Buffer
		if err := json.Indent(&b, report, "", "  "); err != nil {
			v.voice.note("%s is left out: the server has not told what its device can do", name)
			continue
		}
		if err := v.keep(name, append(b.Bytes(), '\n')); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(terminal.EscapeJSON(data), '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, bare(err))
	}
	return nil
}

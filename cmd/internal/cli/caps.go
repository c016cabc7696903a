package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/caps"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// capsProgram is the name of the program behind [Caps].
const capsProgram = "ib_caps"

// capsOptions holds the command line of ib_caps.
type capsOptions struct {
	device        string // empty: all
	doctor        bool
	json          bool
	jsonFile      string
	help, version bool
}

// Caps runs ib_caps: args with the program's name, as in os.Args. It returns
// the exit status.
func Caps(args []string, stdout, stderr io.Writer) int {
	return runCaps(call{capsProgram, args, args[1:], stdout, stderr})
}

func runCaps(c call) int {
	console := newConsole(c.stdout, c.stderr)
	return guarded(c.name, console, func(context.Context) error { return printCaps(console, c.name, c.args) })
}

// printCaps does what the command line of the program says, whose name is the one that the user called.
func printCaps(c *console, name string, args []string) error {
	var o capsOptions
	f := defineCaps(&o)
	if err := f.parse(args); err != nil {
		return err
	}
	if o.help || o.version {
		text := version.Line(name)
		if o.help {
			text = capsHelp(name, f, c.width())
		}
		_, err := io.WriteString(c, text)
		return err
	}
	if f.set.NArg() > 0 {
		return usage(fmt.Sprintf("%s takes no arguments; a device is named with -d", name))
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
	f.text(&o.device, "ib-dev", "d", "NAME", "this device only (default the environment variable "+option.DeviceVariable+", else all devices); a software device (shm_*) that stores data in random order takes a seed: shm_unordered:seed=7")
	f.toggle(&o.doctor, "doctor", "", "print how this host and its RDMA devices are set up, and what probably costs performance, each with the command that mends it")
	f.toggle(&o.json, "out_json", "", "write a JSON file too")
	f.text(&o.jsonFile, "out_json_file", "", "PATH",
		"name of that file (default "+o.jsonFile+"); implies --out_json")
	f.toggle(&o.help, "help", "h", "print this text")
	f.toggle(&o.version, "version", "V", "print the version")
	return f
}

func capsHelp(name string, f *flags, width int) string {
	var b strings.Builder
	b.WriteString(name + " prints what RDMA devices can do and what they promise about the order of incoming data.\n")
	b.WriteString("\nUsage:\n  " + name + " [options]\n")
	writeGroups(&b, f.groups, textWidth(width))
	b.WriteString("\nExample:\n  " + name + " -d mlx5_0\n  " + name + " --doctor\n")
	b.WriteString("\nExit status:\n  0  done\n  1  any other failure, such as output that cannot be written\n" +
		"  2  wrong options\n  3  device missing, or no permission\n")
	return b.String()
}

// collectCaps prints the capabilities that it could query, and returns an error if some are missing.
func collectCaps(c *console, o *capsOptions) error {
	named, err := onlyOne(chooseNamed(o.device, 1))
	if err != nil {
		return err
	}
	(&output{console: c}).announce(named)
	if o.doctor {
		return diagnose(c, o, named)
	}
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

// capsOf returns the report of ib_caps about a device. The report holds the errors of queries that
// failed.
func capsOf(d verbs.Device) json.RawMessage {
	report, _ := caps.Collect([]verbs.Device{d}, ownRelease) // the error is in the report
	data, err := json.Marshal(report)
	if err != nil {
		return nil
	}
	return data
}

// keepCaps saves the capabilities of both devices. A server that has not sent its own is no error.
func (r *clientRun) keepCaps(peer json.RawMessage) error {
	for name, report := range map[string]json.RawMessage{"caps-client.json": capsOf(r.choices[0].device), "caps-server.json": peer} {
		var b bytes.Buffer
		if err := json.Indent(&b, report, "", "  "); err != nil {
			r.output.note("%s is left out: the server has not sent the capabilities of its device", name)
			continue
		}
		if err := r.keep(name, append(b.Bytes(), '\n')); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = atomicfile.Write(path, append(printable.EscapeJSON(data), '\n'))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

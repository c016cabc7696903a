package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/cmd/internal/verify"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/option"
)

// Verify runs ib_verify: args with the program's name, as in os.Args. It returns the exit status.
func Verify(args []string, stdout, stderr io.Writer) int {
	return runVerify(call{option.VerifyProgram, args, args[1:], stdout, stderr})
}

func runVerify(c call) int {
	machine.LimitFootprint()
	a := newApp(c)
	return guarded(a.program, a.console, func(ctx context.Context) error { return a.verify(ctx, c.args) })
}

// verify serves, or checks with a server until the time is over, and reports.
func (a *app) verify(ctx context.Context, args []string) (err error) {
	o := &options{Settings: option.VerifySettings()}
	f := defineGroups(&o.Settings, option.Groups((*option.Option).InVerify), (*option.Option).VerifyHelp)
	if over, err := a.parse(f, o, args, verifyHelp); over {
		return err
	}
	if err := o.checkVerify(f); err != nil {
		return err
	}
	if o.host == "" {
		return a.serve(ctx, o, a.announcePort)
	}
	a.allCounters = true
	client, err := a.prepare(o)
	if err != nil {
		return err
	}
	journal, err := a.openJournal(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	client.output.announce(client.choices[0])
	v := &verification{app: a, client: client, journal: journal}
	return v.conclude(v.checkAll(ctx))
}

// checkVerify checks the command line and the plan of each operation.
func (o *options) checkVerify(f *flags) error {
	if err := o.takeHost(f.set.Args()); err != nil {
		return err
	}
	if err := o.checkRole(f); err != nil {
		return err
	}
	var err error
	switch {
	case o.host == "":
		err = refuseAgreed(f, "is an option of the client, which is run with a host")
	case o.Own.Resume:
		err = refuseAgreed(f, "comes from the journal with --resume: leave it out")
	}
	if err != nil {
		return err
	}
	return errors.Join(o.checkOneDevice(), checkHere(o))
}

// openJournal begins the journal of the command line, or opens that of --resume.
func (a *app) openJournal(o *options) (*verify.Journal, error) {
	dir := o.Own.Folder
	if err := outfolder.CheckBundle(o.Own.Bundle); err != nil {
		return nil, err
	}
	if o.Own.Resume {
		return verify.Resume(dir)
	}
	head, err := verify.NewHead(ownRelease, a.command, &o.Plan, o.Duration)
	if err != nil {
		return nil, err
	}
	for _, op := range head.Ops {
		if err := o.checkPart(head.Plan(op)); err != nil {
			return nil, err
		}
	}
	err = outfolder.Check(dir, append([]string{verify.ReportName}, verify.CapsNames...))
	if err == nil {
		err = outfolder.Make(dir)
	}
	if err != nil {
		return nil, err
	}
	return verify.Create(dir, head)
}

// verifyHelp returns what --help prints.
func verifyHelp(name string, f *flags, width int) string {
	var b strings.Builder
	width = textWidth(width)
	writeEntry(&b, "", name+" checks for hours or days that data arrives in order: it sends WRITEs, SENDs and READs in turn in both directions, polls memory where the device promises data order, and checks every byte of every message. "+
		"It keeps a journal with checkpoints, and continues after a crash.", 0, width)
	b.WriteString("\nUsage:\n")
	writeEntry(&b, "  "+name+" [options]", "start a server and wait for a client", helpIndent, width)
	writeEntry(&b, "  "+name+" [options] HOST", "check with the server at HOST", helpIndent, width)
	writeEntry(&b, "  "+name+" --resume [options] HOST", "continue after an early end", helpIndent, width)
	b.WriteString("\n")
	writeEntry(&b, "", "A server needs no options: it uses the client's.", 0, width)
	writeGroups(&b, f.groups, width)
	fmt.Fprintf(&b, "\nExample:\n  node1$ %s\n  node2$ %s -D 3d --dir node1-node2 node1\n", name, name)
	writeExitStatus(&b, option.VerifyExitStatus, width)
	return b.String()
}

// progressStep is the part of all cycles after which the client prints the counts.
const progressStep = 100

// lineAfter reports whether the client prints the counts after a cycle.
func lineAfter(cycle, of int) bool { return cycle%max(1, of/progressStep) == 0 || cycle == of }

// shortened returns a time without what is too small to matter.
func shortened(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond)
}

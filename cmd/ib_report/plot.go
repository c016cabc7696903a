package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/plots"
	"github.com/ibperf/ibperf/result"
	"github.com/spf13/pflag"
)

const plotHead = `Usage: {program} plot -o FIGURE --kind KIND [--size WxH] [--font SIZE] [--no-title] FILE...

Draws one figure of result files: as PDF, PGF (for LaTeX), SVG or PNG, by the
extension of FIGURE.
` + plotKinds

const plotKinds = `
Kinds of figures:
  ratio        each mode's ratio to poll by message size
  latency      median and 99 % by message size
  bandwidth    by message size
  rate         messages per second by message size
  busy         core busy against latency
  percentiles  latency by percentile, for one message size
  rounds       the rounds of each mode over time
  qps          latency or message rate by number of QPs
  pause        latency by pause between messages
  pause-busy   core busy by pause between messages
  load         median response time by rate
  load-tail    99th percentile of response times by rate
  load-busy    core busy by rate
`

const plotTail = `
Examples:
  {program} plot -o ratio.pdf --kind ratio --size 3.4x2.2in --font 8pt --no-title write_lat.json
  {program} plot -o two.pgf --kind latency --label "host A"=a.json --label "host B"=b.json
`

type figure struct {
	file       string
	format     chart.Format
	kind       string
	size, font string
	style      plots.Style
	inputs     inputs
}

func (p *figure) flags() *pflag.FlagSet {
	flags := newFlags()
	flags.StringVarP(&p.file, "output", "o", "", "write to `FIGURE`: a file that ends in .pdf, .pgf, .svg or .png")
	flags.StringVar(&p.kind, "kind", "", "draw the figure of this `KIND`; if there are several, an error lists their names, and KIND is one of these")
	flags.StringVar(&p.size, "size", "", "width and height (`WxH`) with a unit: in, cm, mm or pt, such as 3.4x2.2in (default as on pages, 8x5in or 8x6.5in)")
	flags.StringVar(&p.font, "font", "", "`SIZE` of the letters at the axes, such as 8pt (default 10pt); lines and markers grow with it")
	flags.BoolVar(&p.style.NoTitle, "no-title", false, "no title and no notes, which a caption replaces; warnings of wrong data stay")
	labelFlag(flags, &p.inputs)
	return flags
}

// parsePlot reads a command line of "ib_report plot".
func parsePlot(name string, args []string, stdout io.Writer) (job, error) {
	var p figure
	flags := p.flags()
	if err := parseFlags(name, flags, args, stdout, plotHead, plotTail); err != nil {
		return nil, err
	}
	if err := p.choose(); err != nil {
		return nil, err
	}
	return p.draw, p.inputs.add(flags.Args())
}

// choose checks what figure was asked for.
func (p *figure) choose() (err error) {
	if p.file == "" {
		return errors.New("name the figure with -o FIGURE")
	}
	p.format = chart.Format(strings.TrimPrefix(filepath.Ext(p.file), "."))
	if !slices.Contains(chart.Formats(), p.format) {
		return fmt.Errorf("-o %s: name a file that ends in %s", p.file, choice(chart.Formats(), "."))
	}
	name := strings.Contains(p.kind, "_") // of a figure
	if !name && !slices.Contains(plots.Kinds(), p.kind) {
		return fmt.Errorf("--kind %q: choose %s", p.kind, choice(plots.Kinds(), ""))
	}
	if p.size != "" {
		if p.style.Width, p.style.Height, err = parseSize(p.size); err != nil {
			return fmt.Errorf("--size %q: %w", p.size, err)
		}
	}
	if p.font != "" {
		if p.style.Font, err = parseFont(p.font); err != nil {
			return fmt.Errorf("--font %q: %w", p.font, err)
		}
	}
	return nil
}

// draw writes the figure.
func (p *figure) draw(_, stderr io.Writer) error {
	runs, err := p.inputs.read(newProgress(stderr))
	if err != nil {
		return err
	}
	p.style.Labels = map[*result.File]string{}
	for i, in := range p.inputs {
		if in.label != "" {
			p.style.Labels[runs[i]] = in.label
		}
	}
	data, err := plots.One(runs, p.kind, p.format, p.style)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(p.file, data); err != nil {
		return fmt.Errorf("write %s: %w", p.file, err)
	}
	fmt.Fprintf(stderr, "wrote %s\n", p.file)
	return nil
}

// choice returns words as "a, b or c", each after a prefix.
func choice[T ~string](words []T, prefix string) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = prefix + string(w)
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

package cli

import (
	"fmt"

	"github.com/ibperf/ibperf/reports/result"
)

// progress is one line on a terminal that is written over as the run goes on.
type progress struct {
	console *console
	shown   bool // whether there is a terminal to show it on
	total   int  // measurements
	done    int
}

// begin shows the line for the first time. The file knows the modes by then.
func (p *progress) begin(f *result.File) {
	p.total = len(f.Parameters.Sizes) * len(f.Parameters.Modes)
	p.show()
}

// next counts a measurement; print writes its row.
func (p *progress) next(print func()) {
	p.clear()
	print()
	p.done++
	p.show()
}

func (p *progress) show() {
	if p.shown && p.done < p.total {
		p.console.raw(fmt.Sprintf("%d of %d measurements done", p.done, p.total))
	}
}

// clear takes the line away before anything else is printed.
func (p *progress) clear() {
	if p.shown {
		p.console.raw("\r\x1b[K")
	}
}

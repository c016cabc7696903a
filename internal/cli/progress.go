package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// progress is one line on a terminal that is written over as the run goes on. Where it is known
// how long the run takes, the line goes on with the time.
type progress struct {
	console *console
	shown   bool // whether there is a terminal to show it on

	mu    sync.Mutex // of the line
	total int        // measurements; 0: the run has no end
	done  int
	whole time.Duration // that all measurements take; 0: not known
	began time.Time
	over  chan struct{} // closed at the end; nil: nothing is shown by time
}

// begin shows the line for the first time. The file knows the modes by then.
func (p *progress) begin(f *result.File) {
	if !p.shown || f.Parameters.Endless {
		return
	}
	p.total = len(f.Parameters.Sizes) * len(f.Parameters.Modes)
	p.whole, p.began = timeOf(&f.Parameters.Plan, p.total), time.Now()
	p.show()
	if p.whole > time.Second {
		p.over = make(chan struct{})
		go p.follow(p.over)
	}
}

// timeOf is how long the measurements of a timed plan take, 0 if the plan does not tell.
func timeOf(p *option.Plan, measurements int) time.Duration {
	if p.Duration == 0 || p.Precision > 0 {
		return 0
	}
	return time.Duration(p.Runs*measurements) * (p.Margin + p.Duration)
}

// follow shows the line once a second.
func (p *progress) follow(over <-chan struct{}) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-over:
			return
		case <-second.C:
			p.print(func() {})
		}
	}
}

// next counts a measurement; print writes its row.
func (p *progress) next(print func()) {
	p.print(func() { print(); p.done++ })
}

// print lets something be printed in place of the line, which is shown again.
func (p *progress) print(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	print()
	p.show()
}

// end takes the line away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clear(); p.over != nil {
		close(p.over)
	}
	p.total, p.over = 0, nil
}

func (p *progress) show() {
	if !p.shown || p.done >= p.total {
		return
	}
	line := fmt.Sprintf("%d of %d measurements done", p.done, p.total)
	if p.whole > time.Second {
		line += fmt.Sprintf(", %.0f of %.0f s", min(time.Since(p.began), p.whole).Seconds(), p.whole.Seconds())
	}
	p.console.progress(line)
}

func (p *progress) clear() {
	if p.shown {
		p.console.clearLine()
	}
}

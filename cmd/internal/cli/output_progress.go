package cli

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
)

// progress is a line on a terminal that is rewritten once a second during the run. It counts the rounds of
// all rows, and shows the time if it is known how long the run takes.
type progress struct {
	console *console
	shown   bool         // stderr is a terminal
	done    atomic.Int64 // rounds

	mu    sync.Mutex    // of the line
	total int64         // rounds; 0: not known
	whole time.Duration // of all rounds; 0: not known
	began time.Time
	over  chan struct{} // closed at the end; nil: there is no line
}

// begin shows the line of a run for the first time.
func (p *progress) begin(plan *option.Plan, rows int) {
	if !p.shown || plan.Endless {
		return
	}
	if plan.Precision == 0 {
		p.total = int64(rows * plan.Runs * plan.Rounds)
	}
	p.whole, p.began, p.over = harness.PlanTime(plan, rows), time.Now(), make(chan struct{})
	p.show()
	go p.follow(p.over)
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

// next counts a round. It prints nothing, because the next round begins at once.
func (p *progress) next() { p.done.Add(1) }

// print clears the line, calls print, and shows the line again.
func (p *progress) print(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	print()
	p.show()
}

// end removes the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clear(); p.over != nil {
		close(p.over)
	}
	p.over = nil
}

func (p *progress) show() {
	done := p.done.Load()
	if p.over == nil || p.total > 0 && done >= p.total {
		return
	}
	line := fmt.Sprintf("%d rounds done", done)
	if p.total > 0 {
		line = fmt.Sprintf("%d of %d rounds done", done, p.total)
	}
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

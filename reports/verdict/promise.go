package verdict

import (
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A promise is an answer about data order, and the devices that gave it.
type promise struct {
	answer  string   // result.OrderWhole, ...
	why     string   // why the answer is unknown
	weaker  bool     // the other side also waits and promises less
	denied  bool     // data of a device was corrupt, which invalidates the answer
	devices []string // with their hosts if the sides of a run gave different answers
	ops     []string // "WRITE"
}

// orderOfAnswers lists the answers from the strongest promise to none.
var orderOfAnswers = []string{result.OrderWhole, result.OrderBlocks, result.OrderNone, result.OrderUnknown}

// orderOf returns the answer of a side, one of orderOfAnswers.
func orderOf(s *result.Side) string {
	if a := rows.OrderAnswer(s.Order); slices.Contains(orderOfAnswers, a) {
		return a
	}
	return result.OrderUnknown
}

// promisesOf returns the answers of the sides that wait for messages: the receivers, or the
// requesters of READs.
func promisesOf(runs []*result.File, c *checks) []promise {
	names := namingOf(runs)
	var all []promise
	for _, f := range runs {
		if f.Local.Order.Query == "" && len(f.Rows) == 0 {
			continue // the run ended before devices were asked
		}
		if f.Parameters.NoData() != "" {
			continue // the test has no mode data
		}
		sides := rows.WaitingSides(f)
		for _, s := range sides {
			p := promise{answer: orderOf(s), devices: []string{deviceName(f, s, c.bad())}, ops: []string{opWord(f.Op) + names.connection(f)}}
			p.denied = c.breaksPromise(s, f.Op) || c.corruptsAfterCompletion(s)
			p.weaker = slices.ContainsFunc(sides, func(o *result.Side) bool { return strength(orderOf(o)) < strength(p.answer) })
			if p.answer == result.OrderUnknown {
				p.why = whyUnknown(s)
			}
			all = addPromise(all, p, func(a, b *promise) bool { return slices.Equal(a.devices, b.devices) })
		}
	}
	return merged(all)
}

// strength orders answers.
func strength(answer string) int { return -slices.Index(orderOfAnswers, answer) }

// addPromise adds a promise, or joins it with the first one that has the same answer and is like it.
func addPromise(all []promise, p promise, like func(a, b *promise) bool) []promise {
	for i := range all {
		if a := &all[i]; a.answer == p.answer && a.why == p.why && a.weaker == p.weaker && a.denied == p.denied && like(a, &p) {
			for _, device := range p.devices {
				a.devices = phrase.AddNew(a.devices, device)
			}
			for _, op := range p.ops {
				a.ops = phrase.AddNew(a.ops, op)
			}
			return all
		}
	}
	return append(all, p)
}

// merged joins devices that gave the same answer for the same operations. Answers that the weaker
// answer of the other side invalidates come last.
func merged(promises []promise) []promise {
	var all []promise
	for _, p := range promises {
		all = addPromise(all, p, func(a, b *promise) bool { return slices.Equal(a.ops, b.ops) })
	}
	slices.SortStableFunc(all, func(a, b promise) int {
		if a.weaker != b.weaker {
			return map[bool]int{true: 1, false: -1}[a.weaker]
		}
		return strength(b.answer) - strength(a.answer)
	})
	return all
}

// deviceName returns the device of a side that waits, with its host if host is set or if the other
// side gave another answer.
func deviceName(f *result.File, s *result.Side, host bool) string {
	same := orderOf(&f.Local) == orderOf(&f.Peer)
	if same && !host {
		return printable.Clean(s.Device.Name)
	}
	name := siteOf(s, f.Op).text()
	switch {
	case same:
		return name
	case result.RoundTrip(f.Op):
		return name + " (which requests)"
	case f.Kind == option.KindBandwidth:
		return name + " (which receives)"
	}
	return name
}

// whyUnknown returns why there is no answer.
func whyUnknown(s *result.Side) string {
	library := s.Libraries["ibv"]
	switch {
	case s.Order.Query == "":
		return "the result file has no answer"
	case s.Device.Backend == "ibv" && library != "":
		return printable.Clean(library) + " may be too old for the query"
	}
	return "the library may lack the query"
}

// keepsOrder reports whether the sides of a run that wait promise an order.
func keepsOrder(f *result.File) bool {
	return !slices.ContainsFunc(rows.WaitingSides(f), func(s *result.Side) bool {
		return strength(orderOf(s)) < strength(result.OrderBlocks)
	})
}

// promiseLines answers whether an application may rely on data order.
func (f *findings) promiseLines() []string {
	checked := f.checks.lines()
	if f.checks.bad() {
		return slices.Concat(checked, f.answerLines())
	}
	return slices.Concat(f.answerLines(), checked)
}

// answerLines returns what devices promise, and what applications must do.
func (f *findings) answerLines() []string {
	var lines []string
	for i, p := range f.promises {
		head := ""
		if !p.weaker && !p.denied {
			head = answerWords[p.answer]
		}
		lines = append(lines, head+p.text(i == 0)+".")
	}
	if len(f.checks.promised) > 0 {
		lines = append(lines, "A promise covers data that the CPU reads, within one message, for a QP and operation as set up. It covers neither the order of messages nor memory with relaxed ordering.")
	}
	return lines
}

// answerWords holds the word that begins a line about each answer.
var answerWords = map[string]string{
	result.OrderWhole: "Yes: ", result.OrderBlocks: "Block by block: ", result.OrderNone: "No: ", result.OrderUnknown: "Not known: ",
}

// text returns the answer and its consequence for an application. If asked is set it names the
// query.
func (p *promise) text(asked bool) string {
	who, what, s := phrase.List(p.devices), " for "+phrase.List(p.ops), "s"
	if len(p.devices) > 1 {
		s = ""
	}
	if asked {
		what += " (ibv_query_qp_data_in_order)"
	}
	switch p.answer {
	case result.OrderWhole:
		return who + " promise" + s + " whole messages in order" + what
	case result.OrderBlocks:
		return who + " promise" + s + " order within each aligned 128-byte block" + what +
			", so an application must poll the last byte of every aligned 128-byte block that a message touches"
	case result.OrderNone:
		return who + " promise" + s + " no order" + what + ", so an application must poll the CQ or sleep for events"
	}
	return "whether " + who + " keep" + s + " the order" + what + ", as " + p.why +
		". That counts as not promised: an application must poll the CQ or sleep for events"
}

// Excluded returns the rows that the verdict on runs does not consider: mode data without a promise,
// and rows of devices with corrupt data.
func Excluded(runs []*result.File) map[*result.Row]bool {
	f := &findings{checks: checksOf(runs)}
	all := map[*result.Row]bool{}
	for _, run := range runs {
		for i := range run.Rows {
			if f.checks.corruptsIn(run) || f.excluded(rows.Entry{File: run, Row: &run.Rows[i]}) {
				all[&run.Rows[i]] = true
			}
		}
	}
	return all
}

// excluded reports whether a row must not be recommended: mode data without a promise or with
// corrupt data.
func (f *findings) excluded(e rows.Entry) bool {
	return e.Forced || e.Mode == option.ModeData && slices.ContainsFunc(rows.WaitingSides(e.File), func(s *result.Side) bool {
		return f.checks.breaksPromise(s, e.File.Op)
	})
}

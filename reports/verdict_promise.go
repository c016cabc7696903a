package reports

import (
	"slices"

	"github.com/ibperf/ibperf/reports/result"
)

// A promise is an answer about the order of data, and for what devices gave it.
type promise struct {
	answer  string   // result.OrderWhole, ...
	why     string   // of an unknown answer
	weaker  bool     // the other side, which waits as well, promises less
	denied  bool     // data of a device was wrong, so that the answer is worth nothing
	devices []string // with their hosts where the sides of a run answered differently
	ops     []string // "WRITE"
}

// orderOfAnswers is from the strongest promise to none.
var orderOfAnswers = []string{result.OrderWhole, result.OrderBlocks, result.OrderNone, result.OrderUnknown}

// orderOf is a side's answer, one of those.
func orderOf(s *result.Side) string {
	if a := answer(s.Order); slices.Contains(orderOfAnswers, a) {
		return a
	}
	return result.OrderUnknown
}

// promisesOf collects the answers of those sides of all runs that wait for messages: a
// promise is the receiver's, or of reads the requester's.
func promisesOf(runs []*result.File, c *checks) []promise {
	names := namingOf(runs)
	var all []promise
	for _, f := range runs {
		if f.Local.Order.Query == "" && len(f.Rows) == 0 {
			continue // it ended before devices were asked
		}
		if f.Parameters.NoData() != "" {
			continue // there was nothing to ask
		}
		sides := waitingSides(f)
		for _, s := range sides {
			p := promise{answer: orderOf(s), devices: []string{deviceName(f, s, c.bad())}, ops: []string{opWord(f.Op) + names.connection(f)}}
			p.denied = c.brokenBy(s, f.Op) || c.wrongBy(s)
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

// addPromise adds a promise to the first one of the same answer that it is like.
func addPromise(all []promise, p promise, like func(a, b *promise) bool) []promise {
	for i := range all {
		if a := &all[i]; a.answer == p.answer && a.why == p.why && a.weaker == p.weaker && a.denied == p.denied && like(a, &p) {
			for _, device := range p.devices {
				a.devices = addNew(a.devices, device)
			}
			for _, op := range p.ops {
				a.ops = addNew(a.ops, op)
			}
			return all
		}
	}
	return append(all, p)
}

// merged lays devices together that answered the same for the same operations, those that
// a weaker answer takes the worth of last.
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

// deviceName names the device of a side that waits, with its host where that is asked for
// and where the other side answered differently.
func deviceName(f *result.File, s *result.Side, host bool) string {
	same := orderOf(&f.Local) == orderOf(&f.Peer)
	if same && !host {
		return Clean(s.Device.Name)
	}
	name := siteOf(s, f.Op).text()
	switch {
	case same:
		return name
	case result.RoundTrip(f.Op):
		return name + " (which requests)"
	case f.Kind == result.KindBandwidth:
		return name + " (which receives)"
	}
	return name
}

// whyUnknown says why there is no answer.
func whyUnknown(s *result.Side) string {
	library := s.Libraries["ibv"]
	switch {
	case s.Order.Query == "":
		return "the result file has no answer"
	case s.Device.Backend == "ibv" && library != "":
		return Clean(library) + " may be too old for the query"
	}
	return "the library may lack the query"
}

// keepsOrder tells whether those sides of a run that wait promise an order.
func keepsOrder(f *result.File) bool {
	return !slices.ContainsFunc(waitingSides(f), func(s *result.Side) bool {
		return strength(orderOf(s)) < strength(result.OrderBlocks)
	})
}

// promiseLines answer whether an application may rely on the order of data.
func (f *findings) promiseLines() []string {
	checked := f.checks.lines()
	if f.checks.bad() {
		return slices.Concat(checked, f.answerLines())
	}
	return slices.Concat(f.answerLines(), checked)
}

// answerLines say what devices promise, and what that asks of an application.
func (f *findings) answerLines() []string {
	var lines []string
	for i, p := range f.promises {
		head := ""
		if !p.weaker && !p.denied {
			head = heads[p.answer]
		}
		lines = append(lines, head+p.text(i == 0)+".")
	}
	if len(f.checks.promised) > 0 {
		lines = append(lines, "A promise is for data that the CPU reads, for each QP and operation as it is set up, within one message; not between messages, nor for memory with relaxed ordering.")
	}
	return lines
}

// heads are the answers in a word.
var heads = map[string]string{
	result.OrderWhole: "Yes: ", result.OrderBlocks: "Block by block: ", result.OrderNone: "No: ", result.OrderUnknown: "Not known: ",
}

// text says what was answered, and what follows from it for an application; how it was
// asked is said once.
func (p *promise) text(asked bool) string {
	who, what, s := joined(p.devices), " for "+joined(p.ops), "s"
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
			", so an application must look at the last byte of every aligned 128-byte block that a message touches"
	case result.OrderNone:
		return who + " promise" + s + " no order" + what + ", so an application must poll the CQ or sleep for events"
	}
	return "whether " + who + " keep" + s + " the order" + what + ", as " + p.why +
		". That counts as not promised: an application must poll the CQ or sleep for events"
}

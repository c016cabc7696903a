package verdict

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// peaks returns the highest bandwidth of each operation, in modes that are considered.
func (f *findings) peaks() (all []Peak) {
	for _, s := range f.trusted() {
		if s.group.Kind != option.KindBandwidth || s.group.Verify {
			continue
		}
		op, where := s.group.Op, strings.TrimSpace(f.names.suffix(s.file()))
		i := slices.IndexFunc(all, func(p Peak) bool { return p.Op == op && p.Where == where })
		if i < 0 {
			i = len(all)
			all = append(all, Peak{Op: op, Where: where})
		}
		for _, p := range s.points {
			for _, mode := range result.ModeOrder {
				if e := p.Row(mode); e.Row != nil && !f.excluded(e) {
					all[i].add(s, e)
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(p Peak) bool { return p.Rate == 0 })
}

// add adds a row.
func (p *Peak) add(s *sweep, e rows.Entry) {
	rate := units.Finite(e.Value(s.column))
	if e.Size > 0 {
		p.Messages = max(p.Messages, rate/float64(e.Size))
	}
	if rate <= p.Rate {
		return
	}
	p.Mode, p.Size, p.Rate, p.QPs, p.LinkShare = e.Mode, e.Size, rate, e.File.Parameters.QPs, 0
	if link := min(e.File.Local.Device.LinkRate, e.File.Peer.Device.LinkRate); link > 0 {
		p.LinkShare = rate / link
	}
}

// peakLine returns the highest rates.
func peakLine(peaks []Peak) (Line, bool) {
	if len(peaks) == 0 {
		return Line{}, false
	}
	var texts, short []string
	most := peaks[0]
	for _, p := range peaks {
		if p.Op != option.OpAtomic || len(peaks) == 1 { // of 8 bytes each
			texts, short = append(texts, p.text(true)), append(short, p.text(false))
		}
		if p.Messages > most.Messages {
			most = p
		}
	}
	rate := "; " + threeDigits(units.Mpps(most.Messages)) + " million messages/s (" + opLabel(most.Op, most.Where) + ")"
	const room = MaxWidth - labelWidth
	if len(texts) == 0 {
		return Line{"peak", "Peak", fits(room, rate[2:])}, true
	}
	return Line{"peak", "Peak", fits(room, phrase.List(texts)+rate, phrase.List(short)+rate, phrase.List(short), listed(short, ", ", room))}, true
}

// text returns the bandwidth and, if it is whole, where it was reached.
func (p *Peak) text(whole bool) string {
	text := opLabel(p.Op, p.Where) + " " + threeDigits(units.Gbps(p.Rate)) + " Gb/s"
	switch {
	case p.LinkShare > 0 && whole:
		return text + " (" + phrase.PercentNumber(p.LinkShare) + " % of the link)"
	case p.LinkShare > 0:
		return text + " (" + phrase.PercentNumber(p.LinkShare) + " %)"
	case whole:
		return text + " (" + string(p.Mode) + ", " + sizeText(p.Size) + ")"
	}
	return text
}

package launch

import (
	"fmt"
	"strings"
)

// Explain returns the place in words: what was recognised and why.
func (p *Place) Explain() string {
	var b strings.Builder
	line := func(label, text string) { fmt.Fprintf(&b, "%-10s %s\n", label, text) }
	line("launcher", p.Launcher)
	rank := fmt.Sprintf("%d of %d", p.Rank, p.Ranks)
	if p.LocalRank >= 0 {
		rank += fmt.Sprintf(", rank %d on its host", p.LocalRank)
	}
	line("rank", rank+" ("+strings.Join(p.From, ", ")+")")
	line("job", orUnknown(p.Job))
	label := "rank 0"
	for i := 0; i < len(p.Routes); {
		var together []string
		kind := p.Routes[i].Kind
		for ; i < len(p.Routes) && p.Routes[i].Kind == kind; i++ {
			together = append(together, p.Routes[i].text())
		}
		line(label, strings.Join(together, " or "))
		label = "  else"
	}
	if len(p.Also) > 0 {
		line("not used", strings.Join(p.Also, ", ")+": "+p.Launcher+" was started inside it")
	}
	return b.String()
}

func (w Route) text() string {
	address := w.Address
	switch w.Kind {
	case Exchange:
		address = "by PMI-1 over descriptor " + w.Address
	case PMIx:
		address = "by PMIx in namespace " + w.Address
	}
	return address + " (" + w.From + ")"
}

func orUnknown(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}

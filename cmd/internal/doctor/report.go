package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// Diagnosis holds the facts about a host, or about a port of a device, and what is found by them.
type Diagnosis struct {
	Facts    result.Side      `json:"facts"`
	Findings []result.Finding `json:"findings"`
}

// Host returns the diagnosis of a host: of a side without a device.
func Host(side result.Side) Diagnosis { return Diagnosis{side, OfHost(&side)} }

// Device returns the diagnosis of a device's port.
func Device(side result.Side) Diagnosis { return Diagnosis{side, OfDevice(&side)} }

// WriteText writes diagnoses as text: facts, then findings.
func WriteText(w io.Writer, all []Diagnosis) error {
	var b strings.Builder
	for i := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		all[i].write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// nameWidth is the column of the names of facts, as in the rest of ib_caps.
const nameWidth = 32

func (d *Diagnosis) write(b *strings.Builder) {
	title, facts, none := "host "+d.Facts.Host, hostFacts(&d.Facts), "no finding"
	if name := d.Facts.Device.Name; name != "" {
		title, facts = fmt.Sprintf("device %s, port %d", name, d.Facts.Device.Port), deviceFacts(&d.Facts)
		none += "; a run counts the port's errors and congestion"
	}
	b.WriteString(title + "\n")
	for _, f := range facts {
		if f[1] == "" {
			f[1] = "none, or unknown"
		}
		fmt.Fprintf(b, "    %-*s %s\n", nameWidth, f[0]+":", f[1])
	}
	if len(d.Findings) == 0 {
		b.WriteString("  " + none + "\n")
	}
	for _, f := range d.Findings {
		fmt.Fprintf(b, "  %s: %s\n    Fix: %s\n", f.ID, f.Sentence, f.Fix)
	}
}

// hostFacts returns the names and values of the facts about a host; an empty value is unknown.
func hostFacts(s *result.Side) [][2]string {
	t := s.Tuning
	facts := [][2]string{{"CPU", s.CPU}, {"kernel", s.Kernel}, {"CPU frequency governor", s.Governor}, {"CPU boost", ""}, {"idle states", rows.IdleText(s.Idle)}}
	if t.Boost != nil {
		facts[3][1] = onOff(t.Boost.On)
	}
	lock, pages := "no limit, or unknown", ""
	if t.LockLimit != nil {
		lock = fmt.Sprintf("at most %s bytes", units.Size(int(*t.LockLimit)))
	}
	if h := t.HugePages; h != nil {
		pages = fmt.Sprintf("%d of %d free, of %s bytes", h.Free, h.Total, units.Size(int(h.Bytes)))
	}
	return append(facts, [2]string{"locked memory", lock}, [2]string{"huge pages", pages}, [2]string{"NUMA nodes of this process", numbers(t.Nodes)})
}

// deviceFacts returns the names and values of the facts about a device; an empty value is unknown.
func deviceFacts(s *result.Side) [][2]string {
	d, t := &s.Device, s.Tuning
	rate, packets, node, interrupt := "", "", "", ""
	if d.LinkRate > 0 {
		rate = gbits(d.LinkRate) + ", " + d.LinkLayer
	}
	if d.MaxMTU > 0 {
		packets = fmt.Sprintf("%d of %d bytes", d.ActiveMTU, d.MaxMTU)
	}
	if n, known := deviceNode(s); known {
		node = fmt.Sprint(n)
	}
	if i := t.Interrupt; i != nil {
		interrupt = fmt.Sprintf("IRQ %d, CPU %s", i.Number, i.CPUs)
	}
	facts := [][2]string{{"firmware", d.Firmware}, {"rate of the port", rate}, {"MTU", packets}, {"NUMA node", node}, {"completion vector 0", interrupt}}
	return append(facts, pciFacts(t.PCI)...)
}

func pciFacts(p *result.PCI) [][2]string {
	if p == nil {
		return [][2]string{{"PCI function", "none"}}
	}
	relaxed, name := "", p.Address
	if p.RelaxedOrdering != nil {
		relaxed = onOff(*p.RelaxedOrdering)
	}
	if p.Virtual {
		name += " (virtual function)"
	}
	return [][2]string{
		{"PCI function", name}, {"PCIe link", optional(p.Link)}, {"largest link of the card", optional(p.Largest)}, {"largest link of the slot", optional(p.Slot)},
		{"IOMMU group type", p.IOMMU}, {"PCIe relaxed ordering", relaxed},
	}
}

func optional(l *result.PCILink) string {
	if l == nil {
		return ""
	}
	return linkText(l)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

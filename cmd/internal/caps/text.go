package caps

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/verbs"
)

// nameWidth is the column of attribute names.
const nameWidth = 32

// WriteText writes the report as text.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i := range r.Backends {
		writeBackend(&b, &r.Backends[i])
	}
	for i := range r.Devices {
		if i > 0 || len(r.Backends) > 0 {
			b.WriteByte('\n')
		}
		writeDevice(&b, &r.Devices[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBackend writes a line with the devices of a backend, or why it has none.
func writeBackend(b *strings.Builder, backend *Backend) {
	var found []string
	for _, name := range backend.Devices {
		if slices.Contains(backend.software, name) {
			name += " (software)"
		}
		found = append(found, name)
	}
	line := strings.Join(found, ", ")
	if line == "" {
		line = "none: " + backend.None
	}
	fmt.Fprintf(b, "backend %s: %s\n", backend.Name, strings.ReplaceAll(line, "\n", "; "))
}

func writeDevice(b *strings.Builder, d *Device) {
	fmt.Fprintf(b, "device %s (backend %s)\n", d.Name, d.Backend)
	if d.Software != "" {
		fmt.Fprintf(b, "  software device: %s\n", d.Software)
	}
	if d.Error != "" {
		fmt.Fprintf(b, "  error: %s\n", d.Error)
	}
	writeOrders(b, d.Order)
	for _, p := range d.Ports {
		writePort(b, &p)
	}
	for _, g := range d.Attributes {
		fmt.Fprintf(b, "  %s\n", g.Title)
		writeAttributes(b, g)
	}
}

// writeOrders writes the answers about data order, which are the main result of the program.
func writeOrders(b *strings.Builder, orders []Order) {
	if len(orders) == 0 {
		return
	}
	b.WriteString("  data in order (of incoming data, as the CPU sees it)\n")
	fmt.Fprintf(b, "    %-10s %-12s %s\n", "transport", "operation", answerCells("answer", orders[0].Device, "device alone"))
	for _, o := range orders {
		cells := answerCells(o.Answer, o.Device, o.Device)
		if o.Error != "" {
			cells += ": " + o.Error
		}
		fmt.Fprintf(b, "    %-10s %-12s %s\n", o.Transport, o.Operation, cells)
	}
	if orders[0].Device != "" {
		b.WriteString("    libibverbs promises nothing on this CPU, whatever the device does alone: mode data needs --force-data\n")
	}
	if orders[0].Transport == verbs.QPTypeSRD.String() {
		b.WriteString("    the device has no RC: programs run on it with -c SRD\n")
	}
}

// answerCells returns the cell of the library's answer, and a second one if the device was asked, too.
func answerCells(library, device, second string) string {
	if device == "" {
		return library
	}
	return fmt.Sprintf("%-24s %s", library, second)
}

func writePort(b *strings.Builder, p *Port) {
	fmt.Fprintf(b, "  port %d\n", p.Number)
	writeAttributes(b, p.Attributes)
	for _, g := range p.GIDs {
		name := fmt.Sprintf("gid[%d]:", g.Index)
		line := g.GID + ", " + g.Type
		if g.Interface != 0 {
			line += fmt.Sprintf(", interface %d", g.Interface)
		}
		fmt.Fprintf(b, "    %-*s %s\n", nameWidth, name, line)
	}
}

func writeAttributes(b *strings.Builder, g Group) {
	for _, a := range g.Attributes {
		line := fmt.Sprintf("    %-*s %v", nameWidth, a.Name+":", a.Value)
		if a.Unit != "" {
			line += " " + a.Unit
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

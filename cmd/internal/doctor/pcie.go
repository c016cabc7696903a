package doctor

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/result"
)

// pcieLink judges the link of a card by the rate of its port.
func pcieLink(side *result.Side) (sentence, fix string) {
	p := side.Tuning.PCI
	if p == nil || p.Link == nil || side.Device.LinkRate == 0 || p.Link.Rate >= side.Device.LinkRate {
		return "", ""
	}
	sentence = fmt.Sprintf("PCIe link of %s is %s, and its port has %s.", side.Device.Name, linkText(p.Link), gbits(side.Device.LinkRate))
	show := fmt.Sprintf("`lspci -vv -s %s | grep -E 'LnkCap|LnkSta'`", physical(p))
	switch {
	case p.Largest == nil:
		return sentence, "compare the card's link with its slot; " + show
	case p.Largest.Rate <= p.Link.Rate:
		return sentence, "another card: this one has no faster link; " + show
	case p.Slot != nil && p.Slot.Rate < p.Largest.Rate:
		return sentence, fmt.Sprintf("move the card from its slot of %s to one of %s; %s", shape(p.Slot), shape(p.Largest), show)
	}
	return sentence, fmt.Sprintf("card and slot can have %s: seat the card again, and look up the slot's speed and bifurcation in the BIOS setup; %s",
		shape(p.Largest), show)
}

// pcieAbove judges the links between the slot and the root complex, if the card's own is fast enough.
func pcieAbove(side *result.Side) (sentence, fix string) {
	p := side.Tuning.PCI
	if p == nil || p.Above == nil || p.Above.Rate >= side.Device.LinkRate || p.Link != nil && p.Link.Rate <= p.Above.Rate {
		return "", ""
	}
	return fmt.Sprintf("PCIe link of the bridge %s above %s is %s, and the port has %s.", p.AboveAt, side.Device.Name, linkText(p.Above), gbits(side.Device.LinkRate)),
		"move the card to a slot with fewer bridges above it; `lspci -tv` shows them"
}

// iommu judges the translation of the device's addresses.
func iommu(side *result.Side) (sentence, fix string) {
	p := side.Tuning.PCI
	if p == nil || p.IOMMU != result.IOMMUStrict && p.IOMMU != result.IOMMULazy {
		return "", ""
	}
	sentence = fmt.Sprintf("The IOMMU translates each address that %s accesses (group type %s): if its cache lacks one, the access waits for page tables.",
		side.Device.Name, p.IOMMU)
	group := "/sys/bus/pci/devices/" + p.Address + "/iommu_group/type"
	if p.Bypassed {
		return sentence, "the boot parameter for passthrough has no effect on this device: unbind its driver, and `echo identity > " + group + "`"
	}
	return sentence, "boot with the parameter iommu=pt, on arm64 iommu.passthrough=1; then `cat " + group + "` prints identity"
}

// relaxedOrdering judges the Device Control register.
func relaxedOrdering(side *result.Side) (sentence, fix string) {
	p := side.Tuning.PCI
	if p == nil || p.RelaxedOrdering == nil || *p.RelaxedOrdering {
		return "", ""
	}
	return fmt.Sprintf("PCIe relaxed ordering is off in the Device Control register of %s: each write waits for all earlier ones, whatever the memory allows.", side.Device.Name),
		fmt.Sprintf("`setpci -s %s CAP_EXP+8.w=10:10`, unless `dmesg | grep -i 'relaxed ordering'` says that the kernel turned it off", physical(p))
}

// physical returns the address of the physical function in a command of the shell.
func physical(p *result.PCI) string {
	if p.Virtual {
		return fmt.Sprintf("$(basename $(readlink /sys/bus/pci/devices/%s/physfn))", p.Address)
	}
	return p.Address
}

// shape returns speed and width of a link.
func shape(l *result.PCILink) string { return fmt.Sprintf("%g GT/s x%d", l.Speed, l.Width) }

func linkText(l *result.PCILink) string { return shape(l) + " (" + gbits(l.Rate) + ")" }

func gbits(bytesPerSecond float64) string {
	return fmt.Sprintf("%.3g Gb/s", units.Gbps(bytesPerSecond))
}

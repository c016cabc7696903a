package doctor

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// packetHeaders is added to the MTU of RoCE for that of the network interface: the kernel sets 96 bytes aside for
// headers (iboe_get_mtu), and guides of vendors say 4200 for 4096.
const packetHeaders = 104

// mtu judges the active MTU of a port.
func mtu(side *result.Side) (sentence, fix string) {
	d := &side.Device
	if d.ActiveMTU == 0 || d.ActiveMTU >= d.MaxMTU {
		return "", ""
	}
	sentence = fmt.Sprintf("Port %d of %s has an active MTU of %d bytes, and is capable of %d: long messages take %d times the number of packets.",
		d.Port, d.Name, d.ActiveMTU, d.MaxMTU, d.MaxMTU/d.ActiveMTU)
	if d.LinkLayer == verbs.LinkInfiniBand.String() {
		return sentence, fmt.Sprintf("the line `Default=0x7fff, ipoib, mtu=%d : ALL=full;` in partitions.conf of opensm, or the MTU of the partition in another subnet manager", mtuCode(d.MaxMTU))
	}
	least := d.MaxMTU + packetHeaders
	return sentence, fmt.Sprintf("`ip link set dev %s mtu %d` on both sides, and at least as much on the switches between them",
		cmp.Or(side.Tuning.Interface, "INTERFACE"), least)
}

// mtuCode returns the code of an MTU in enum ibv_mtu.
func mtuCode(bytes int) verbs.MTU {
	for code := verbs.MTU256; code <= verbs.MTU4096; code++ {
		if code.Bytes() == bytes {
			return code
		}
	}
	return 0
}

// firmware judges whether two cards of one family have the same firmware: the part before the first point stands for
// the family.
func firmware(f *result.File) (sentence, fix string) {
	here, peer := f.Local.Device.Firmware, f.Peer.Device.Firmware
	family, _, _ := strings.Cut(here, ".")
	if here == peer || here == "" || !strings.HasPrefix(peer, family+".") || f.Local.Tuning == nil || f.Local.Tuning.PCI == nil {
		return "", ""
	}
	return fmt.Sprintf("The cards have different firmware, %s here and %s at the peer: one lacks changes of the other.", here, peer),
		fmt.Sprintf("update the older one by the vendor's tool; `devlink dev info pci/%s` shows the versions", f.Local.Tuning.PCI.Address)
}

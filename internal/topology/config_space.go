package topology

import (
	"encoding/binary"
	"io/fs"
	"path"
)

// Registers of PCI configuration space (include/uapi/linux/pci_regs.h of Linux).
const (
	statusRegister   = 0x06
	hasCapabilities  = 1 << 4 // in the status register
	firstCapability  = 0x34
	expressID        = 0x10
	deviceControl    = 8 // in the Express capability
	relaxedOrderBit  = 1 << 4
	mostCapabilities = 48 // that have room in 256 bytes
)

// relaxedOrdering returns whether the Device Control register of a PCI function enables relaxed ordering, or nil if
// that is not readable: without root the kernel shows only the first 64 bytes.
func relaxedOrdering(root fs.FS, at string) *bool {
	config, err := fs.ReadFile(root, path.Join(at, "config"))
	if err != nil || len(config) <= firstCapability || config[statusRegister]&hasCapabilities == 0 {
		return nil
	}
	next := int(config[firstCapability] &^ 3)
	for range mostCapabilities {
		if next == 0 || next+deviceControl+2 > len(config) {
			return nil
		}
		if config[next] == expressID {
			on := binary.LittleEndian.Uint16(config[next+deviceControl:])&relaxedOrderBit != 0
			return &on
		}
		next = int(config[next+1] &^ 3)
	}
	return nil
}

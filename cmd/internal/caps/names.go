package caps

import (
	"fmt"
	"strings"
)

// The meanings of a port's codes (ibv_query_port(3)).
var (
	physStates = map[uint8]string{
		1: "SLEEP", 2: "POLLING", 3: "DISABLED", 4: "PORT_CONFIGURATION_TRAINING", 5: "LINK_UP", 6: "LINK_ERROR_RECOVERY", 7: "PHY_TEST",
	}
	widths  = map[uint8]string{1: "1X", 2: "4X", 4: "8X", 8: "12X", 16: "2X"}
	dataVLs = map[uint8]string{1: "1 lane", 2: "2 lanes", 3: "4 lanes", 4: "8 lanes", 5: "15 lanes"}
	speeds  = map[uint32]string{
		1: "2.5 Gb/s a lane", 2: "5 Gb/s a lane", 4: "10 Gb/s a lane", 8: "10 Gb/s a lane, FDR10", 16: "14 Gb/s a lane",
		32: "25 Gb/s a lane", 64: "50 Gb/s a lane", 128: "100 Gb/s a lane", 256: "200 Gb/s a lane",
	}
)

// meaning returns the meaning of a code in parentheses; empty if it is unknown.
func meaning[K comparable](names map[K]string, code K) string {
	if name := names[code]; name != "" {
		return "(" + name + ")"
	}
	return ""
}

// guid returns a GUID as ibv_devinfo prints it: 0002:c903:0012:3456.
func guid(v uint64) string {
	parts := make([]string, 4)
	for i := range parts {
		parts[i] = fmt.Sprintf("%04x", uint16(v>>(48-16*i)))
	}
	return strings.Join(parts, ":")
}

func hex[T uint32 | uint64](v T) string { return fmt.Sprintf("0x%x", v) }

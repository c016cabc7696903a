package shm

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// The device has one port, with one GID and one P_Key: full membership in the default partition.
const defaultPKey = 0xffff

// queryResult returns the value, or an error if the context is closed or the arguments are out of
// range.
func queryResult[T any](c *context, verb string, fits bool, errno syscall.Errno, why string, value T) (T, error) {
	if c.isClosed() {
		errno, why = ebadf, closedText
	} else if fits {
		return value, nil
	}
	return *new(T), c.err(verb, errno, why)
}

func (c *context) QueryPort(port int) (verbs.PortAttr, error) {
	return queryResult(c, "query_port", port == 1, einval, "the device has only port 1", verbs.PortAttr{
		State: verbs.PortActive, MaxMTU: verbs.MTU4096, ActiveMTU: verbs.MTU4096,
		GIDTableLen: 1, PKeyTblLen: 1, MaxMsgSize: maxMsgSize, LinkLayer: verbs.LinkEthernet,
		ActiveWidth: 2, ActiveSpeed: 1, PhysState: 5, GRHRequired: true,
		QKeyViolCntr: c.qkeyViolations.Load(),
	})
}

func (c *context) QueryGID(port, index int) (verbs.GIDEntry, error) {
	return queryResult(c, "query_gid", port == 1 && index == 0, einval, "the table of port 1 has one entry", c.gid())
}

func (c *context) QueryGIDTable(max int) ([]verbs.GIDEntry, error) {
	return queryResult(c, "query_gid_table", max >= 1, einval, "the table has one entry", []verbs.GIDEntry{c.gid()})
}

func (c *context) gid() verbs.GIDEntry {
	return verbs.GIDEntry{GID: gidOf(c.id), Port: 1, Type: verbs.GIDTypeRoCEv2}
}

func (c *context) QueryPKey(port, index int) (uint16, error) {
	fits := port == 1 && index == 0
	return queryResult[uint16](c, "query_pkey", fits, enoent, "the table of port 1 has one entry", defaultPKey)
}

func (c *context) PKeyIndex(port int, pkey uint16) (int, error) {
	fits := port == 1 && pkey == defaultPKey
	return queryResult(c, "get_pkey_index", fits, enoent, "the table of port 1 has the P_Key 0xffff", 0)
}

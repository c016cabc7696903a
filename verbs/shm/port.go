package shm

import "github.com/ibperf/ibperf/verbs"

// The one port has one GID and one P_Key, that of full members of the default
// partition.
const defaultPKey = 0xffff

func (c *context) QueryPort(port int) (verbs.PortAttr, error) {
	if c.isClosed() {
		return verbs.PortAttr{}, c.err("query_port", ebadf, closedText)
	}
	if port != 1 {
		return verbs.PortAttr{}, c.err("query_port", einval, "ports are numbered from 1 to 1")
	}
	return verbs.PortAttr{
		State: verbs.PortActive, MaxMTU: verbs.MTU4096, ActiveMTU: verbs.MTU4096,
		GIDTableLen: 1, PKeyTblLen: 1, MaxMsgSize: maxMsgSize, LinkLayer: verbs.LinkEthernet,
		ActiveWidth: 2, ActiveSpeed: 1, PhysState: 5, GRHRequired: true,
		QKeyViolCntr: c.qkeyViolations.Load(),
	}, nil
}

func (c *context) QueryGID(port, index int) (verbs.GIDEntry, error) {
	if c.isClosed() {
		return verbs.GIDEntry{}, c.err("query_gid", ebadf, closedText)
	}
	if port != 1 || index != 0 {
		return verbs.GIDEntry{}, c.err("query_gid", einval, "the table of port 1 has one entry")
	}
	return verbs.GIDEntry{GID: gidOf(c.id), Port: 1, Type: verbs.GIDTypeRoCEv2}, nil
}

func (c *context) QueryGIDTable(max int) ([]verbs.GIDEntry, error) {
	if c.isClosed() {
		return nil, c.err("query_gid_table", ebadf, closedText)
	}
	if max < 1 {
		return nil, c.err("query_gid_table", einval, "the table has one entry")
	}
	e, err := c.QueryGID(1, 0)
	return []verbs.GIDEntry{e}, err
}

func (c *context) QueryPKey(port, index int) (uint16, error) {
	if c.isClosed() {
		return 0, c.err("query_pkey", ebadf, closedText)
	}
	if port != 1 || index != 0 {
		return 0, c.err("query_pkey", enoent, "the table of port 1 has one entry")
	}
	return defaultPKey, nil
}

func (c *context) PKeyIndex(port int, pkey uint16) (int, error) {
	if c.isClosed() {
		return 0, c.err("get_pkey_index", ebadf, closedText)
	}
	if port != 1 || pkey != defaultPKey {
		return 0, c.err("get_pkey_index", enoent, "the table of port 1 has the P_Key 0xffff")
	}
	return 0, nil
}

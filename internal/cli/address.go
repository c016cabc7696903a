package cli

import (
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// nearest returns the first of the devices that has the address of this host from which it reaches a
// peer, and the address; no device if none has it. The address is source if that is given, else what
// routing decides.
func nearest(devices []verbs.Device, port int, source, peer string) (verbs.Device, netip.Addr) {
	local, err := netip.ParseAddr(source)
	if err != nil {
		local = localAddress(peer)
	}
	local = local.Unmap().WithZone("")
	if !local.IsValid() || local.IsLoopback() {
		return nil, local
	}
	i := slices.IndexFunc(devices, func(d verbs.Device) bool { return hasAddress(d, port, local) })
	if i < 0 {
		return nil, local
	}
	return devices[i], local
}

// lookupLimit is how long it may take to find a peer's address. A name that takes longer decides nothing.
const lookupLimit = 2 * time.Second

// localAddress returns the address of this host from which packets go to a peer, invalid if nothing
// leads there. None is sent: a UDP socket is only given its route.
func localAddress(peer string) netip.Addr {
	if peer == "" {
		return netip.Addr{}
	}
	const discard = "9"
	c, err := net.DialTimeout("udp", net.JoinHostPort(peer, discard), lookupLimit)
	if err != nil {
		return netip.Addr{}
	}
	defer c.Close()
	return peerIP(c.LocalAddr().String())
}

// hasAddress reports whether a GID of the port is made of the address, as on RoCE, or a network
// interface of the device has it, as on InfiniBand.
func hasAddress(d verbs.Device, port int, local netip.Addr) bool {
	return hasGID(d, port, local) || hasInterface(os.DirFS("/"), d.Name(), interfacesWith(local))
}

// hostOf returns the host of host:port, empty if there is none.
func hostOf(hostPort string) string {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return ""
	}
	return host
}

func hasGID(d verbs.Device, port int, local netip.Addr) bool {
	c, err := d.Open()
	if err != nil {
		return false
	}
	defer c.Close()
	p, err := c.QueryPort(port)
	if err != nil {
		return false
	}
	for i := range p.GIDTableLen {
		e, err := c.QueryGID(port, i)
		if err == nil && netip.AddrFrom16(e.GID).Unmap() == local {
			return true
		}
	}
	return false
}

// hasInterface reports whether a device has one of the network interfaces, by sysfs below root.
func hasInterface(root fs.FS, device string, interfaces []string) bool {
	return slices.ContainsFunc(interfaces, func(name string) bool {
		_, err := fs.Stat(root, fmt.Sprintf("sys/class/infiniband/%s/device/net/%s", device, name))
		return err == nil
	})
}

// interfacesWith returns the network interfaces that have an address.
func interfacesWith(address netip.Addr) (names []string) {
	all, err := net.Interfaces()
	if err != nil {
		return nil
	}
	for _, i := range all {
		list, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range list {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap().WithZone("") == address {
				names = append(names, i.Name)
			}
		}
	}
	return names
}

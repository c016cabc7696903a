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

// sourceAddress returns the address from which this host connects to a peer: source, or without it the
// one that routing chooses.
func sourceAddress(source, peer string) netip.Addr {
	if a, err := netip.ParseAddr(source); err == nil {
		return a
	}
	return localAddress(peer)
}

// lookupLimit is the longest time to look up a peer's address. After it no device is preferred.
const lookupLimit = 2 * time.Second

// localAddress returns the address from which this host sends packets to a peer; invalid without a
// route. It sends none: connecting a UDP socket only looks up the route.
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
	return addrOf(c.LocalAddr().String())
}

// hasAddress reports whether a GID of the port holds the address, as on RoCE, or a network
// interface of the device has it, as on InfiniBand.
func hasAddress(d verbs.Device, port int, local netip.Addr) bool {
	return hasGID(d, port, local) || hasInterface(os.DirFS("/"), d.Name(), interfacesWith(local))
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

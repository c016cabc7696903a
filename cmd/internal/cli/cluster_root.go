package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/launch"
	"github.com/ibperf/ibperf/cmd/internal/cluster/pmi"
	"github.com/ibperf/ibperf/internal/pmix"
	"github.com/ibperf/ibperf/oob"
)

// Ports of rank 0 that follow from the identity of the job. They are above those that Linux gives to clients.
const (
	firstRootPort = 61440
	rootPorts     = 4096
)

// rootPort returns the port of rank 0: the given one, or one that all ranks of a job choose.
func rootPort(o *clusterOptions, place *launch.Place) int {
	if o.Own.Port != 0 {
		return o.Own.Port
	}
	h := fnv.New32a()
	h.Write([]byte(place.Job)) // does not fail
	return firstRootPort + int(h.Sum32()%rootPorts)
}

// openRoot listens as rank 0, and hands address and secret to the other ranks if the launcher can.
func (a *app) openRoot(o *clusterOptions, place *launch.Place) (*oob.Listener, []byte, error) {
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return nil, nil, err
	}
	socket, err := oob.Open(net.JoinHostPort("", strconv.Itoa(rootPort(o, place))))
	share := exchangeOf(place)
	if err != nil && share != nil && o.Own.Port == 0 {
		socket, err = oob.Open(":0")
	}
	if err != nil {
		return nil, nil, err
	}
	if share != nil {
		mine := secret
		if mine == nil {
			mine = []byte(rand.Text())
		}
		port := socket.Addr().(*net.TCPAddr).Port
		value := fmt.Sprintf("%s;%d;%x", strings.Join(ownAddresses(), ","), port, mine)
		if _, err := share(value, o.Own.ConnectTimeout/2); err != nil {
			a.console.note("rank 0: %v; other ranks try the port that follows from the job", err)
		} else {
			secret = mine
		}
	}
	l, err := oob.ListenOn(socket, oob.ListenOptions{Secret: secret, Program: oob.Cluster, Clients: place.Ranks * len(o.devices()), Rejected: a.rejected})
	return l, secret, err
}

// findRoot returns the addresses at which rank 0 may be, and the secret.
func (a *app) findRoot(o *clusterOptions, place *launch.Place) (addresses []string, secret []byte, err error) {
	if secret, err = readSecret(o.Own.SecretFile); err != nil {
		return nil, nil, err
	}
	if share := exchangeOf(place); share != nil {
		value, err := share("", o.Own.ConnectTimeout/2)
		if err == nil {
			return parseRoot(value)
		}
		a.console.note("rank %d: %v", place.Rank, err)
	}
	for _, r := range place.Routes {
		if r.Kind != launch.Exchange && r.Kind != launch.PMIx {
			addresses = append(addresses, net.JoinHostPort(r.Address, strconv.Itoa(rootPort(o, place))))
		}
	}
	if addresses == nil {
		return nil, nil, errors.New("there is no other route to rank 0: give --root")
	}
	return addresses, secret, nil
}

// parseRoot parses the value that rank 0 has handed out: addresses, port and secret.
func parseRoot(value string) (addresses []string, secret []byte, err error) {
	var list, port string
	parts := strings.Split(value, ";")
	if len(parts) == 3 {
		list, port = parts[0], parts[1]
		_, err = fmt.Sscanf(parts[2], "%x", &secret)
	}
	if list == "" || port == "" || err != nil {
		return nil, nil, fmt.Errorf("rank 0 has handed out %.80q, want addresses, port and secret: run the same ib_cluster on all ranks", value)
	}
	for address := range strings.SplitSeq(list, ",") {
		addresses = append(addresses, net.JoinHostPort(address, port))
	}
	return addresses, secret, nil
}

// An exchange hands a value from rank 0 to all other ranks, within a limit.
type exchange func(value string, limit time.Duration) (string, error)

// exchangeOf returns the launcher's exchange, nil if it has none.
func exchangeOf(place *launch.Place) exchange {
	for _, r := range place.Routes {
		fd, err := strconv.Atoi(r.Address)
		switch {
		case r.Kind == launch.Exchange && err == nil && fd > 2:
			return func(value string, limit time.Duration) (string, error) {
				return pmi.Share(fd, place.Rank, value, limit)
			}
		case r.Kind == launch.PMIx:
			return func(value string, limit time.Duration) (string, error) { return pmix.Share(place.Rank, value, limit) }
		}
	}
	return nil
}

// maxAddresses is the number of addresses that fit into a value of the exchange.
const maxAddresses = 8

// ownAddresses returns the addresses of this host, without loopback and link-local ones if there are others.
func ownAddresses() []string {
	var all []string
	found, _ := net.InterfaceAddrs() // without any, the loopback address is left
	for _, a := range found {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && len(all) < maxAddresses {
			all = append(all, ip.IP.String())
		}
	}
	if all == nil {
		return []string{"127.0.0.1"}
	}
	return all
}

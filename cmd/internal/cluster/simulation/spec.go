package simulation

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Spec describes the clusters that are simulated.
type Spec struct {
	Nodes    int
	Bad      int     // nodes
	Pairs    int     // bad pairs of good nodes
	Groups   int     // of nodes, of equal size
	Uplinks  int     // groups that have a bad one
	Partners int     // that each node meets at least
	Slow     float64 // share by which a bad node or pair is slower
	Noise    float64 // standard deviation of the logarithm of a test's value
	Outliers float64 // share of tests that are lower without a reason in a node
}

// Limits of the number of nodes. With fewer of them no test has others beside it.
const (
	minNodes = 4
	maxNodes = 100_000
)

// ParseSpec parses a list such as nodes=128,bad=1%,slow=10%,noise=3%,outliers=1%,pairs=1,groups=8,uplinks=1. Only the number of nodes has
// no default.
func ParseSpec(text string) (*Spec, error) {
	s := &Spec{Slow: 0.1, Noise: 0.03, Outliers: 0.01}
	bad := "1%"
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "nodes":
			s.Nodes, err = count(value)
		case "bad":
			bad = value
		case "pairs":
			s.Pairs, err = count(value)
		case "groups":
			s.Groups, err = count(value)
		case "uplinks":
			s.Uplinks, err = count(value)
		case "partners":
			s.Partners, err = count(value)
		case "slow":
			s.Slow, err = Percent(value)
		case "noise":
			s.Noise, err = Percent(value)
		case "outliers":
			s.Outliers, err = Percent(value)
		default:
			err = errors.New("write nodes=N, and what differs from bad=1%,slow=10%,noise=3%,outliers=1%,pairs=0,groups=0,uplinks=0,partners=0")
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", part, err)
		}
	}
	return s, s.complete(bad)
}

// complete takes the number of bad nodes, a count or a share of which at least one node is bad, and checks all.
func (s *Spec) complete(bad string) (err error) {
	if s.Nodes < minNodes || s.Nodes > maxNodes {
		return fmt.Errorf("nodes=%d: write a number from %d to %d", s.Nodes, minNodes, maxNodes)
	}
	if strings.HasSuffix(bad, "%") {
		var share float64
		share, err = Percent(bad)
		if s.Bad = int(math.Round(share * float64(s.Nodes))); share > 0 {
			s.Bad = max(s.Bad, 1)
		}
	} else {
		s.Bad, err = count(bad)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%q: %w", "bad="+bad, err)
	case s.Bad+2*s.Pairs > s.Nodes:
		return fmt.Errorf("%d bad nodes and %d pairs of others are more than %d nodes", s.Bad, s.Pairs, s.Nodes)
	case s.Groups > s.Nodes/2 || s.Uplinks > s.Groups:
		return fmt.Errorf("groups=%d,uplinks=%d: write at most one group for two nodes, and at most one bad uplink for each group", s.Groups, s.Uplinks)
	}
	return nil
}

// count parses a number of nodes or pairs.
func count(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxNodes {
		return 0, fmt.Errorf("write a number from 0 to %d", maxNodes)
	}
	return n, nil
}

// Percent parses a percentage, as a share.
func Percent(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(v >= 0 && v < 100) {
		return 0, errors.New("write a percentage from 0 to below 100, such as 3%")
	}
	return v / 100, nil
}

// Package topology reads which nodes of a cluster share a leaf switch: from a file as Slurm's topology.conf, or from
// what Slurm tells a process.
package topology

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Groups has the group of each node by its name.
type Groups map[string]string

// Parse reads lines such as "SwitchName=leaf1 Nodes=n[01-16]". Switches without nodes, other members and comments do
// not matter.
func Parse(file io.Reader) (Groups, error) {
	g := Groups{}
	scanner, number := bufio.NewScanner(file), 0
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		number++
		if err := g.add(scanner.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	if len(g) == 0 {
		return nil, errors.New("it has no line such as SwitchName=leaf1 Nodes=n[01-16]")
	}
	return g, nil
}

// maxLine is the length of the longest line.
const maxLine = 1 << 20

// add adds the nodes of a line.
func (g Groups) add(line string) error {
	line, _, _ = strings.Cut(line, "#")
	name, nodes := "", ""
	for _, word := range strings.Fields(line) {
		key, value, is := strings.Cut(word, "=")
		if !is {
			return fmt.Errorf("%.40q: write NAME=VALUE", word)
		}
		switch strings.ToLower(key) {
		case "switchname", "blockname":
			name = value
		case "nodes":
			nodes = value
		}
	}
	if nodes == "" {
		return nil
	}
	if name == "" {
		return errors.New("there is Nodes without SwitchName")
	}
	all, err := expand(nodes)
	if err != nil {
		return err
	}
	for _, node := range all {
		if other, known := g[node]; known && other != name {
			return fmt.Errorf("node %.40q is below %.40q, and below %.40q before", node, name, other)
		}
		g[node] = name
	}
	return nil
}

// Of returns the group of a node, which may have the host's full name; "" if it has none.
func (g Groups) Of(node string) string {
	if group, known := g[node]; known {
		return group
	}
	short, _, _ := strings.Cut(node, ".")
	return g[short]
}

// OfAddress returns the group in SLURM_TOPOLOGY_ADDR, such as leaf1 of "spine.leaf1.n17" with the pattern
// "switch.switch.node"; "" if there is none.
func OfAddress(address, pattern string) string {
	parts, kinds := strings.Split(address, "."), strings.Split(pattern, ".")
	last := len(kinds) - 2                                              // before the node
	if last < 0 || kinds[last+1] != "node" || len(parts) < len(kinds) { // the node's name may have dots
		return ""
	}
	return parts[last]
}

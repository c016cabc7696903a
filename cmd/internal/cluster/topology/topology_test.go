package topology

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	g, err := Parse(strings.NewReader(`# two leaves
SwitchName=spine Switches=leaf[1-2]
switchname=leaf1 LinkSpeed=100 Nodes=n[1-2],gpu7  # the first

BlockName=leaf2 nodes=rack[1-2]n[08-10]
`))
	if err != nil || len(g) != 9 {
		t.Fatalf("%v, %v", g, err)
	}
	for node, want := range map[string]string{
		"n1": "leaf1", "n2.example.org": "leaf1", "gpu7": "leaf1", "rack2n08": "leaf2", "rack1n10": "leaf2", "n3": "", "rack1n8": "",
	} {
		if got := g.Of(node); got != want {
			t.Errorf("%s is in %q, want %q", node, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                             "it has no line such as",
		"SwitchName=a Switches=b":                      "it has no line such as",
		"a\nSwitchName=a Nodes=n1":                     `line 1: "a": write NAME=VALUE`,
		"Nodes=n1":                                     "line 1: there is Nodes without SwitchName",
		"SwitchName=a Nodes=n[1-2":                     "has no ]",
		"SwitchName=a Nodes=n[2-1]":                    `"2-1": write numbers`,
		"SwitchName=a Nodes=n[x]":                      `"x": write numbers`,
		"SwitchName=a Nodes=n1,,n2":                    "a node without a name",
		"SwitchName=a Nodes=n[1-100001]":               "more than 100000 nodes",
		"SwitchName=a Nodes=n[1-9999]m[1-9999]":        "more than 100000 nodes",
		"SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1": `line 2: node "n1" is below "b", and below "a" before`,
		strings.Repeat("x", maxLine+1):                 "line 1: bufio.Scanner: token too long",
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: error %v, want %s", text, err, want)
		}
	}
}

func TestExpand(t *testing.T) {
	for list, want := range map[string]string{
		"n1": "n1", "a,b": "a b", "n[1-3]": "n1 n2 n3", "n[08-11,1]x,y": "n08x n09x n10x n11x n1x y", "a[1-2][3,4]": "a13 a14 a23 a24",
	} {
		if all, err := expand(list); err != nil || !slices.Equal(all, strings.Fields(want)) {
			t.Errorf("%s: %v, %v", list, all, err)
		}
	}
}

func TestOfAddress(t *testing.T) {
	for _, c := range [][3]string{
		{"spine.leaf1.n17", "switch.switch.node", "leaf1"}, {"leaf1.n17", "switch.node", "leaf1"}, {"block3.n1", "block.node", "block3"},
		{"leaf1.n17.example.org", "switch.node", "leaf1"}, {"n17", "node", ""}, {"", "", ""}, {"n17", "switch.node", ""},
	} {
		if got := OfAddress(c[0], c[1]); got != c[2] {
			t.Errorf("%s with %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("SwitchName=a Nodes=n[1-2],rack[1-2]n[01-08]")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(strings.NewReader(text))
		if (err == nil) == (len(g) == 0) {
			t.Errorf("%v, %v", g, err)
		}
	})
}

package simulation

import (
	"strings"
	"testing"
)

func TestSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"nodes=128":                             {Nodes: 128, Bad: 1, Pairs: 0, Slow: 0.1, Noise: 0.03, Outliers: 0.01},
		"nodes=10000,noise=5%":                  {Nodes: 10_000, Bad: 100, Pairs: 0, Slow: 0.1, Noise: 0.05, Outliers: 0.01},
		"nodes=8,bad=0,pairs=1":                 {Nodes: 8, Bad: 0, Pairs: 1, Slow: 0.1, Noise: 0.03, Outliers: 0.01},
		"nodes=8,bad=0%":                        {Nodes: 8, Bad: 0, Pairs: 0, Slow: 0.1, Noise: 0.03, Outliers: 0.01},
		"bad=25%,nodes=8,slow=7.5":              {Nodes: 8, Bad: 2, Pairs: 0, Slow: 0.075, Noise: 0.03, Outliers: 0.01},
		"nodes=8,bad=3,outliers=0":              {Nodes: 8, Bad: 3, Pairs: 0, Slow: 0.1, Noise: 0.03, Outliers: 0},
		"nodes=8,groups=2,uplinks=1,partners=4": {Nodes: 8, Bad: 1, Groups: 2, Uplinks: 1, Partners: 4, Slow: 0.1, Noise: 0.03, Outliers: 0.01},
	} {
		if s, err := ParseSpec(text); err != nil || *s != want {
			t.Errorf("%s: %+v, %v, want %+v", text, s, err, want)
		}
	}
}

func TestSpecRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "write nodes=N",
		"bad=1":                      "nodes=0: write a number from 4",
		"nodes=3":                    "write a number from 4",
		"nodes=1e6":                  "write a number from 0 to 100000",
		"nodes=8,bad=9":              "more than 8 nodes",
		"nodes=8,bad=1,pairs=4":      "more than 8 nodes",
		"nodes=8,groups=5":           "at most one group for two nodes",
		"nodes=8,groups=2,uplinks=3": "at most one bad uplink for each group",
		"nodes=8,bad=x%":             `"bad=x%": write a percentage`,
		"nodes=8,noise=100%":         `"noise=100%": write a percentage`,
		"nodes=8,noise=-1":           "write a percentage",
		"nodes=8,slow=NaN":           "write a percentage",
		"nodes=8,speed=1":            `"speed=1": write nodes=N`,
		"nodes=8,pairs=99999999":     "write a number from 0 to 100000",
	} {
		if s, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want an error with %q", text, s, err, want)
		}
	}
}

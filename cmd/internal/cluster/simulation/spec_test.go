package simulation

import (
	"strings"
	"testing"
)

func TestSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"nodes=128":                {128, 1, 0, 0.1, 0.03, 0.01},
		"nodes=10000,noise=5%":     {10_000, 100, 0, 0.1, 0.05, 0.01},
		"nodes=8,bad=0,pairs=1":    {8, 0, 1, 0.1, 0.03, 0.01},
		"nodes=8,bad=0%":           {8, 0, 0, 0.1, 0.03, 0.01},
		"bad=25%,nodes=8,slow=7.5": {8, 2, 0, 0.075, 0.03, 0.01},
		"nodes=8,bad=3,outliers=0": {8, 3, 0, 0.1, 0.03, 0},
	} {
		if s, err := ParseSpec(text); err != nil || *s != want {
			t.Errorf("%s: %+v, %v, want %+v", text, s, err, want)
		}
	}
}

func TestSpecRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "write nodes=N",
		"bad=1":                  "nodes=0: write a number from 4",
		"nodes=3":                "write a number from 4",
		"nodes=1e6":              "write a number from 0 to 100000",
		"nodes=8,bad=9":          "more than 8 nodes",
		"nodes=8,bad=1,pairs=4":  "more than 8 nodes",
		"nodes=8,bad=x%":         `"bad=x%": write a percentage`,
		"nodes=8,noise=100%":     `"noise=100%": write a percentage`,
		"nodes=8,noise=-1":       "write a percentage",
		"nodes=8,slow=NaN":       "write a percentage",
		"nodes=8,speed=1":        `"speed=1": write nodes=N`,
		"nodes=8,pairs=99999999": "write a number from 0 to 100000",
	} {
		if s, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want an error with %q", text, s, err, want)
		}
	}
}

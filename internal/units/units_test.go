package units

import (
	"math"
	"testing"
)

func TestSize(t *testing.T) {
	for bytes, want := range map[int]string{
		0: "0", 1: "1", 8: "8", 1000: "1000", 1023: "1023", 1024: "1K", 1025: "1025", 1536: "1536",
		4096: "4K", 65536: "64K", 1<<20 - 1024: "1023K", 1 << 20: "1M", 8 << 20: "8M", 1 << 30: "1G", -4: "-4",
	} {
		if got := Size(bytes); got != want {
			t.Errorf("Size(%d) = %q, want %q", bytes, got, want)
		}
	}
}

func TestScaling(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"1500 ns are 1.5 usec", Usec(1500), 1.5},
		{"2^20 bytes/s are 1 MiB/s", MiBps(1 << 20), 1},
		{"125 million bytes/s are 1 Gb/s", Gbps(125e6), 1},
		{"a million messages/s are 1 Mpps", Mpps(1e6), 1},
		{"infinity is nothing", MiBps(math.Inf(1)), 0},
		{"not a number is nothing", Usec(math.NaN()), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestTextAtRoundingEdges(t *testing.T) {
	for _, c := range []struct {
		name, got, want string
	}{
		{"below 10 usec three decimals", UsecText(9999.4), "9.999"},
		{"what rounds to 10 usec has two", UsecText(9999.5), "10.00"},
		{"10 usec", UsecText(10000), "10.00"},
		{"nothing", UsecText(0), "0.000"},
		{"below 100 ns one decimal", NsText(99.94), "99.9"},
		{"what rounds to 100 ns has none", NsText(99.95), "100"},
		{"ratio below 100", RatioText(99.994, 1), "99.99x"},
		{"ratio that rounds to 100", RatioText(99.995, 1), "100x"},
		{"equal", RatioText(5, 5), "1.00x"},
		{"no base", RatioText(5, 0), "-"},
		{"no value", RatioText(math.NaN(), 5), "0.00x"},
		{"0.1 Gb/s has two decimals", RateText(12.5e6, true), "0.10"},
		{"less has six", RateText(12.4e6, true), "0.099200"},
		{"MiB/s", RateText(1.5*(1<<20), false), "1.50"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

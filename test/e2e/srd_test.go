package e2e

import (
	"slices"
	"strings"
	"testing"
)

// srdRuns are command lines over SRD that TestTransportsOfLibibverbs does not have: nobody looks
// at messages, they go both ways, and those that nobody asked for by their size are cut.
var srdRuns = []struct {
	program, options string
	size             int
}{
	{"ib_send_bw", "-b -n 100", 8192},
	{"ib_send_bw", "-s 1000 -l 8 -n 100 --send_with_imm", 1000},
	{"ib_write_bw", "-s 1000 -b -q 2 -n 500 --completion data --verify", 1000},
	{"ib_write_bw", "-s 64 -D 0.05 --write_with_imm", 64},
	{"ib_read_bw", "-s 1000 -b -D 0.05", 1000},
	{"ib_write_lat", "-s 1000 -q 2 -n 100 --completion data --verify", 1000},
}

// TestSRD runs them.
func TestSRD(t *testing.T) {
	env := append(stub(t), efa...)
	for _, c := range srdRuns {
		t.Run(c.program+" "+c.options, func(t *testing.T) {
			p := newPlace(t, "*.json")
			p.env = env
			p.run(statusDone, c.program, "", "-d stub0 -c SRD --out_json_file client.json "+c.options)
			for _, r := range p.readResult("client.json").Rows {
				if r.Size != c.size || r.Verify != nil && r.Verify.Bad() > 0 || r.Delivery != nil {
					t.Errorf("%d bytes, checked %+v, delivery %+v", r.Size, r.Verify, r.Delivery)
				}
			}
		})
	}
}

// TestRefusedOverSRD: what the device does not have is refused by name.
func TestRefusedOverSRD(t *testing.T) {
	env := stub(t)
	for _, c := range []struct {
		program, options string
		status           int
		env              []string
		want             []string
	}{
		{"ib_send_bw", "-c SRD -s 16384", statusDevice, efa, []string{"--size 16384: over SRD a message has 8928 bytes at most"}},
		{"ib_read_bw", "-c SRD -s 16M", statusDevice, efa, []string{"--size 16777216: over SRD a WRITE or READ of device stub0 has 8388608 bytes at most"}},
		{"ib_write_bw", "", statusDevice, efa, []string{"device stub0 has no RC, try -c SRD"}},
		{"ib_write_bw", "", statusDevice, []string{"STUB_EFA=1"}, []string{"device stub0 has no RC, try -c SRD"}},
		{"ib_write_bw", "-c SRD", statusDevice, []string{"STUB_EFA=1"}, []string{"LOCAL_WRITE|REMOTE_WRITE", "some have no WRITE, or READ"}},
		{"ib_write_bw", "-c SRD", statusDevice, nil, []string{"SRD is a transport of EFA devices"}},
		{"ib_write_bw", "-c SRD --completion data", statusRefused, []string{"STUB_EFA=10", "STUB_ORDER=0"}, []string{"not promised"}},
	} {
		t.Run(c.program+" "+c.options+" "+strings.Join(c.env, " "), func(t *testing.T) {
			p := newPlace(t)
			p.env = append(slices.Clone(env), c.env...)
			server, client := p.both(c.program, "", "-d stub0 -n 100 "+c.options)
			here, there := client.within(patience), server.within(patience)
			if here != c.status && there != c.status { // whoever finds it first tells the other one
				t.Fatalf("statuses %d and %d\n%s", here, there, client.said())
			}
			client.says(c.want...)
		})
	}
}

package option

import (
	"strings"
	"testing"
)

// Options that a transport does not support are refused by name.
func TestTransports(t *testing.T) {
	for _, c := range []struct {
		op     Op
		change func(*Plan)
		want   string // empty: it is possible
	}{
		{OpWrite, func(p *Plan) { p.Transport = UC }, ""},
		{OpSend, func(p *Plan) { p.Transport = UC }, ""},
		{OpRead, func(p *Plan) { p.Transport = UC }, "--connection UC: ib_read_bw measures READ, and UC has only WRITE and SEND"},
		{OpAtomic, func(p *Plan) { p.Transport = UC }, "--connection UC: ib_atomic_bw measures atomic operations"},
		{OpSend, func(p *Plan) { p.Transport = UD }, ""},
		{OpWrite, func(p *Plan) { p.Transport = UD }, "--connection UD: ib_write_bw measures WRITE, and UD has only SEND"},
		{OpRead, func(p *Plan) { p.Transport = UD }, "UD has only SEND"},
		{OpAtomic, func(p *Plan) { p.Transport = UD }, "UD has only SEND"},
		{OpAtomic, func(p *Plan) { p.Transport = XRC }, ""},
		{OpRead, func(p *Plan) { p.Transport = XRC }, ""},
		{OpSend, func(p *Plan) { p.Transport = "DC" }, "choose RC, UC, UD, XRC or SRD"},
		{OpSend, func(p *Plan) { p.Transport, p.RDMACM = UC, true }, "--rdma_cm connects RC and UD QPs only: leave --connection UC out"},
		{OpSend, func(p *Plan) { p.UseSRQ = true }, ""},
		{OpSend, func(p *Plan) { p.Transport, p.UseSRQ = UC, true }, "UC QPs have no shared receive queue"},
		{OpSend, func(p *Plan) { p.Transport, p.UseSRQ = UD, true }, ""},
		{OpWrite, func(p *Plan) { p.UseSRQ = true }, "--use-srq: ib_write_bw does not have this option"},
		{OpSend, func(p *Plan) { p.Transport, p.Sizes = UD, []int{4097} }, "--size 4097: over UD a message has at most 4096 bytes"},
		{OpSend, func(p *Plan) { p.Transport, p.Sizes, p.MTU = UD, []int{1025}, 1024 }, "has at most 1024 bytes"},
		{OpSend, func(p *Plan) { p.Transport, p.Sizes = UD, AllSizes() }, ""},
		{OpSend, func(p *Plan) { p.Transport, p.Offset = UD, 8 }, "a UD message always starts 40 bytes past a 128-byte boundary"},
		{OpSend, func(p *Plan) { p.Transport, p.Completion = UD, ModeData }, "--completion data: over UD a SEND may be lost"},
		{OpSend, func(p *Plan) { p.Transport, p.Completion = UC, ModeData }, "--completion data: over UC a SEND may be lost"},
		{OpWrite, func(p *Plan) { p.Transport, p.Completion = UC, ModeData }, ""},
		{OpSend, func(p *Plan) { p.UseSRQ, p.Completion = true, ModeData }, "shared receive queue, so the address of a message is not known"},
		{OpSend, func(p *Plan) { p.Transport, p.Completion = XRC, ModeData }, "shared receive queue, so the address of a message is not known"},
		{OpWrite, func(p *Plan) { p.Transport, p.Completion = XRC, ModeData }, ""},
		{OpWrite, func(p *Plan) { p.Transport, p.Completion = SRD, ModeData }, ""},
		{OpRead, func(p *Plan) { p.Transport, p.Completion = SRD, ModeData }, ""},
		{OpSend, func(p *Plan) { p.Transport, p.Completion = SRD, ModeData }, "--completion data: over SRD SENDs take receives in any order"},
		{OpAtomic, func(p *Plan) { p.Transport = SRD }, "--connection SRD: ib_atomic_bw measures atomic operations, and SRD has only WRITE, SEND and READ"},
		{OpWrite, func(p *Plan) { p.Transport, p.RDMACM = SRD, true }, "--rdma_cm connects RC and UD QPs only: leave --connection SRD out"},
		{OpSend, func(p *Plan) { p.Transport, p.UseSRQ = SRD, true }, "SRD QPs have no shared receive queue"},
		{OpSend, func(p *Plan) { p.Transport, p.CQMod = SRD, 2 }, "--cq-mod 2: every SRD request has a completion"},
		{OpSend, func(p *Plan) { p.Transport, p.CQMod = SRD, 1 }, ""},
		{OpSend, func(p *Plan) { p.Transport, p.MTU = SRD, 4096 }, "--mtu: SRD QPs have no path MTU"},
		{OpRead, func(p *Plan) { p.Transport, p.Outs = SRD, 4 }, "--outs: SRD QPs have no limit"},
		{OpWrite, func(p *Plan) { p.Transport, p.Inline = SRD, 32 }, "--inline_size 32: over SRD only SENDs are sent inline"},
		{OpSend, func(p *Plan) { p.Transport, p.Inline = SRD, 32 }, ""},
		{OpSend, func(p *Plan) { p.Transport, p.Kind, p.NoPeak = UD, KindLatency, true }, "--noPeak: over UD messages may be lost"},
	} {
		p := Defaults(Test{c.op, KindBandwidth})
		c.change(&p)
		err := p.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s over %s: %v, want %q", p.Program(), p.Transport, err, c.want)
		}
	}
}

// Default sizes and --all are reduced to one packet over UD.
func TestSizesFitIntoDatagrams(t *testing.T) {
	p := Defaults(Test{OpSend, KindBandwidth})
	p.Transport = UD
	if err := p.Fit(2048); err != nil || joined(p.Sizes) != "2048" {
		t.Errorf("%v, %v", p.Sizes, err)
	}
	p.Sizes = AllSizes()
	if err := p.Fit(1024); err != nil || len(p.Sizes) != 10 || p.Sizes[9] != 1024 {
		t.Errorf("%v, %v", p.Sizes, err)
	}
	p.Transport, p.Sizes = SRD, Defaults(p.Test).Sizes
	if err := p.Fit(8928); err != nil || joined(p.Sizes) != "8192" {
		t.Errorf("%v, %v", p.Sizes, err)
	}
	p.Sizes = []int{64, 2048}
	if err := p.Fit(1024); err == nil {
		t.Error("a size above the MTU passed")
	}
}

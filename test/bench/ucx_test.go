package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/test/bench/comparison"
)

func TestUCXOutputIsUnderstood(t *testing.T) {
	for _, c := range []struct {
		file  string
		p     ucx
		b     bench
		value float64
	}{ // the average of put_lat, which is not of all messages, is 0.075 usec
		{"ucx_put_lat_8", ucx{test: "put_lat", size: 8, iters: 1e6}, mean(latency("write", 8, "data", 1)), 1e9 / 992955.0},
		{"ucx_put_bw_8K", ucx{test: "put_bw", size: 8192, iters: 1e5}, bandwidth("write", 65536, "poll", 1), 5134027 * 8192},
		{"ucx_am_bw_8", ucx{test: "am_bw", size: 8, iters: 1e6}, bandwidth("send", 8, "poll", 1), 13314207},
	} {
		r, err := c.p.read(c.b, output(t, c.file), "")
		if diff := r.value/c.value - 1; err != nil || diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: %v, %v, want %v", c.file, r.value, err, c.value)
		}
	}
}

func TestUCXOutputIsRefused(t *testing.T) {
	text, p := output(t, "ucx_am_bw_8"), ucx{test: "am_bw", size: 8, iters: 1e6}
	row := text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:]
	for name, c := range map[string]struct{ text, want string }{
		"nothing":         {"", "no line with the names"},
		"no row":          {strings.TrimSuffix(text, row), "8 columns but 1"},
		"half a row":      {strings.Replace(text, row, "1000000,0.1", 1), "8 columns but 2"},
		"another number":  {strings.Replace(text, "1000000,", "999,", 1), "999 iterations"},
		"a rate of words": {strings.Replace(text, row, "1000000,1,1,1,1,1,1,fast", 1), "no rate"},
		"a rate of none":  {strings.Replace(text, row, "1000000,1,1,1,1,1,1,0", 1), "no rate"},
		"an endless rate": {strings.Replace(text, row, "1000000,1,1,1,1,1,1,inf", 1), "no rate"},
	} {
		if _, err := p.read(someBench, c.text, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, c.want)
		}
	}
}

func TestUCXGetsItsTransport(t *testing.T) {
	for _, m := range (setup{device: "shm_whole"}).matches() {
		p, isUCX := m.reference.(*ucx)
		if !isUCX {
			continue
		}
		command := p.client(m.bench, 4711, "")
		shm := slices.Contains(command, "UCX_TLS=shm")
		posix := slices.Contains(command, "posix")
		if shm == posix || shm != strings.HasPrefix(p.test, "ucp_") || command[len(command)-1] != "127.0.0.1" {
			t.Errorf("%s: %q", m, command)
		}
		if p.size != m.size && (m.metric != comparison.MetricBandwidth || !strings.Contains(p.note(m.bench), "8 KiB")) {
			t.Errorf("%s: messages of %d bytes: %q", m, p.size, p.note(m.bench))
		}
		if slices.Contains(p.server(m.bench, 4711, ""), "127.0.0.1") {
			t.Errorf("%s: the server gets the name of a server", m)
		}
	}
}

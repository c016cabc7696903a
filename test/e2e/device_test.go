package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// deviceModes are the completion modes that every device has.
var deviceModes = []string{"poll", "event"}

// onDevice makes a place for a test on the RDMA device, and the options that name it.
func onDevice(t *testing.T, keep ...string) (p *place, options string) {
	t.Helper()
	if *deviceName == "" {
		t.Skip("no RDMA device: name one with -device")
	}
	return newPlace(t, keep...), "-d " + *deviceName
}

// connections runs a test with QPs connected over TCP alone, and through rdma_cm.
func connections(t *testing.T, test func(t *testing.T, p *place, options string)) {
	t.Run("tcp", func(t *testing.T) {
		p, options := onDevice(t, "*.json")
		test(t, p, options)
	})
	t.Run("rdma_cm", func(t *testing.T) {
		p, options := onDevice(t, "*.json")
		if *address == "" {
			t.Skip("no IP address of the device: give one with -address")
		}
		p.host = *address
		test(t, p, options+" -R")
	})
}

// TestDevicePairs runs every program in every completion mode.
func TestDevicePairs(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		p, options := onDevice(t)
		for _, mode := range deviceModes {
			server, client := p.run(statusDone, program, "", fmt.Sprintf("%s --completion %s -n 50", options, mode))
			size := 65536
			if latency(program) {
				size = 2
			}
			for _, side := range []*process{server, client} {
				side.wantRows(layoutOf(program), []int{size}, []string{mode})
				side.prints(" Device          : " + *deviceName + "\n")
			}
		}
	})
}

// TestDeviceCompareVerified runs all modes on one connection, with every byte
// checked, at sizes around what a packet holds, and with messages that are inline. On an
// emulated machine two rounds take long enough.
func TestDeviceCompareVerified(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		connections(t, func(t *testing.T, p *place, options string) {
			for _, size := range []int{100, 4097} {
				_, client := p.run(statusDone, program, "", fmt.Sprintf("%s --compare --rounds 2 --verify -n 30 -s %d --out_json_file client.json", options, size))
				client.wantRows(layoutOf(program), []int{size}, deviceModes)
				for _, row := range p.readResult("client.json").Rows {
					// The reader of READs and the receiver of the rest look at the bytes.
					if v := row.Verify; v != nil && (v.Messages == 0 || v.Bad() != 0) {
						t.Errorf("%s %d bytes %s: %+v", program, size, row.Mode, *v)
					}
				}
			}
		})
	})
}

// TestDevicePathByAddress: rdma_cm is asked for a traffic class, and what it chooses otherwise than
// asked for is warned of on both sides.
func TestDevicePathByAddress(t *testing.T) {
	p, options := onDevice(t, "*.json")
	if *address == "" {
		t.Skip("no IP address of the device: give one with -address")
	}
	p.host = *address
	run := func(more string) (gidIndex int, warnings []string) {
		p.run(statusDone, "ib_send_lat", "-d "+*deviceName, options+" -R -n 50 --out_json_file client.json"+more)
		f := p.readResult("client.json")
		for _, w := range f.Warnings {
			if w.ID == "rdma-cm-path" {
				warnings = append(warnings, w.Text)
			}
		}
		return f.Local.Device.GIDIndex, warnings
	}
	chosen, warnings := run("")
	if len(warnings) > 0 {
		t.Errorf("nothing is asked for: %q", warnings)
	}
	for _, transport := range []string{"RC", "UD"} {
		if _, warnings := run(fmt.Sprintf(" -c %s --tclass 96 -x %d", transport, chosen)); len(warnings) > 0 {
			t.Errorf("%s: what is asked for is chosen: %q", transport, warnings)
		}
		const last = 1 // rxe has two GIDs
		_, warnings := run(fmt.Sprintf(" -c %s -S 3 --tclass 96 -T 32 -x %d", transport, last-chosen))
		for _, want := range []string{
			"on this side rdma_cm chose GID index", "on this side rdma_cm chose service level 0, and not that of --sl 3",
			"on this side rdma_cm chose traffic class 32, and not that of --tclass 96",
			"on the peer rdma_cm chose service level 0, and not that of --sl 3", "on the peer rdma_cm chose traffic class 32",
		} {
			if !strings.Contains(strings.Join(warnings, "\n"), want) {
				t.Errorf("%s: %q, want %q", transport, warnings, want)
			}
		}
	}
}

// TestDeviceRefusesData: the device promises nothing, so memory is not polled,
// and both sides say what was asked and answered.
func TestDeviceRefusesData(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		connections(t, func(t *testing.T, p *place, options string) {
			server, client := p.run(statusRefused, program, "", options+" --completion data")
			for _, side := range []*process{server, client} {
				side.says("completion mode data refused", *deviceName, "ibv_query_qp_data_in_order(qp, IBV_WR_", `answered "not promised"`, "--force-data")
			}
		})
	})
}

// TestDeviceForcedData polls memory all the same, and says so everywhere.
func TestDeviceForcedData(t *testing.T) {
	each(t, func(t *testing.T, program string) {
		p, options := onDevice(t, "*.json")
		_, client := p.run(statusDone, program, "", options+" --completion data --force-data -n 100 -s 64 --out_json_file client.json")
		client.wantRows(layoutOf(program), []int{64}, []string{"data!"})
		f := p.readResult("client.json")
		if !f.Parameters.ForceData || !f.Rows[0].Forced {
			t.Errorf("file: forced %v, row forced %v", f.Parameters.ForceData, f.Rows[0].Forced)
		}
	})
}

// TestDeviceManyQPs connects many, with deep queues and CQ moderation.
func TestDeviceManyQPs(t *testing.T) {
	connections(t, func(t *testing.T, p *place, options string) {
		for _, program := range []string{"ib_write_bw", "ib_send_bw", "ib_read_bw"} {
			_, client := p.run(statusDone, program, "", options+" -q 16 -t 64 -Q 8 -n 40 -s 256")
			client.wantRows("bw", []int{256}, []string{"poll"})
		}
	})
}

// TestDeviceServerNeedsNoOptions: it takes its first active device, and what the
// client wants.
func TestDeviceServerNeedsNoOptions(t *testing.T) {
	p, options := onDevice(t)
	server, client := p.run(statusDone, "ib_send_lat", "", options+" -s 100 -n 50 -e")
	server.wantRows("lat", []int{100}, []string{"event"})
	client.wantRows("lat", []int{100}, []string{"event"})
}

// TestDeviceAgainstEmbedded is refused by name.
func TestDeviceAgainstEmbedded(t *testing.T) {
	p, options := onDevice(t)
	server, port := p.serve("ib_write_lat", "-d", "shm_whole")
	client := p.connect("ib_write_lat", port, strings.Fields(options)...)
	client.ends(statusUsage, patience)
	server.ends(statusUsage, patience)
	client.says("shm_whole", *deviceName)
}

// TestDeviceOptionsOfTheDevice: ports and GIDs that are not there. The client may end
// before it reaches the server, or the server may be about to hear of its trouble.
func TestDeviceOptionsOfTheDevice(t *testing.T) {
	for _, c := range []struct{ option, text string }{
		{"-i 7", "port 7"},
		{"-x 200", "GID index 200"},
	} {
		t.Run(c.option, func(t *testing.T) {
			p, options := onDevice(t)
			server, port := p.serve("ib_write_lat", "--persistent")
			client := p.connect("ib_write_lat", port, strings.Fields(options+" "+c.option)...)
			client.ends(statusDevice, patience)
			client.says(c.text)
			server.signal(sigTerm)
			if got := server.within(stopLimit + deviceGrace); got != statusDone && got != statusOther {
				t.Errorf("the server ended with status %d\n%s", got, server.said())
			}
		})
	}
}

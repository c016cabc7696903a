package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// deviceModes are the completion modes that need no promise of order, and deviceCompared the rows of their
// comparison.
var (
	deviceModes    = modes[1:]
	deviceCompared = compared[1:]
)

// onDevice returns the workspace of a test on the RDMA device, and the options that name the device.
func onDevice(t *testing.T, keep ...string) (w *workspace, options string) {
	t.Helper()
	if *deviceName == "" {
		t.Skip("no RDMA device: name one with -device")
	}
	return newWorkspace(t, keep...), "-d " + *deviceName
}

// connections runs a test twice, with QPs that are connected over TCP and through rdma_cm.
func connections(t *testing.T, test func(t *testing.T, w *workspace, options string)) {
	t.Run("tcp", func(t *testing.T) {
		w, options := onDevice(t, "*.json")
		test(t, w, options)
	})
	t.Run("rdma_cm", func(t *testing.T) {
		w, options := onDevice(t, "*.json")
		if *address == "" {
			t.Skip("no IP address of the device: give one with -address")
		}
		w.host = *address
		test(t, w, options+" -R")
	})
}

// TestDevicePairs runs every program in every completion mode.
func TestDevicePairs(t *testing.T) {
	eachProgram(t, func(t *testing.T, program string) {
		w, options := onDevice(t)
		for _, mode := range deviceModes {
			server, client := w.runPair(statusDone, program, "", fmt.Sprintf("%s --completion %s -n 50", options, mode))
			size := 65536
			if isLatency(program) {
				size = 2
			}
			for _, side := range []*process{server, client} {
				side.wantRows(layoutOf(program), []int{size}, []string{mode})
				side.wantStdout(" Device          : " + *deviceName + "\n")
			}
		}
	})
}

// TestDeviceCompareVerified runs all modes on one connection and checks every byte, with messages that
// are inline and that are longer than a packet. Two rounds, as the guest is slow.
func TestDeviceCompareVerified(t *testing.T) {
	eachProgram(t, func(t *testing.T, program string) {
		connections(t, func(t *testing.T, w *workspace, options string) {
			for _, size := range []int{100, 4097} {
				_, client := w.runPair(statusDone, program, "", fmt.Sprintf("%s --compare --runs 2 --rounds 1 --verify -n 30 -s %d --out_json_file client.json", options, size))
				client.wantRows(layoutOf(program), []int{size}, deviceCompared)
				for _, row := range w.readResult("client.json").Rows {
					// The requester of READs checks the bytes, else the receiver.
					if v := row.Verify; v != nil && (v.Messages == 0 || v.Bad() != 0) {
						t.Errorf("%s, %d bytes, mode %s: --verify found %+v", program, size, row.Mode, *v)
					}
				}
			}
		})
	})
}

// TestDevicePathByAddress: both sides warn where rdma_cm chose another GID index, service level or
// traffic class than the options ask for.
func TestDevicePathByAddress(t *testing.T) {
	w, options := onDevice(t, "*.json")
	if *address == "" {
		t.Skip("no IP address of the device: give one with -address")
	}
	w.host = *address
	run := func(more string) (gidIndex int, warnings []string) {
		w.runPair(statusDone, "ib_send_lat", "-d "+*deviceName, options+" -R -n 50 --out_json_file client.json"+more)
		f := w.readResult("client.json")
		for _, w := range f.Warnings {
			if w.ID == "rdma-cm-path" {
				warnings = append(warnings, w.Text)
			}
		}
		return f.Local.Device.GIDIndex, warnings
	}
	chosen, warnings := run("")
	if len(warnings) > 0 {
		t.Errorf("without options of the path: %q", warnings)
	}
	for _, transport := range []string{"RC", "UD"} {
		if _, warnings := run(fmt.Sprintf(" -c %s --tclass 96 -x %d", transport, chosen)); len(warnings) > 0 {
			t.Errorf("%s: with the path that rdma_cm chooses: %q", transport, warnings)
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

// TestDeviceRefusesData: the device promises no order, so both sides refuse mode data, with the query
// and its answer.
func TestDeviceRefusesData(t *testing.T) {
	eachProgram(t, func(t *testing.T, program string) {
		connections(t, func(t *testing.T, w *workspace, options string) {
			server, client := w.runPair(statusRefused, program, "", options+" --completion data")
			for _, side := range []*process{server, client} {
				side.wantStderr("completion mode data refused", *deviceName, "ibv_query_qp_data_in_order(qp, IBV_WR_", `answered "not promised"`, "--force-data")
			}
		})
	})
}

// TestDeviceForcedData: --force-data polls memory still, and rows and result file say so.
func TestDeviceForcedData(t *testing.T) {
	eachProgram(t, func(t *testing.T, program string) {
		w, options := onDevice(t, "*.json")
		_, client := w.runPair(statusDone, program, "", options+" --completion data --force-data -n 100 -s 64 --out_json_file client.json")
		client.wantRows(layoutOf(program), []int{64}, []string{"data!"})
		f := w.readResult("client.json")
		if !f.Parameters.ForceData || !f.Rows[0].Forced {
			t.Errorf("the result file has force_data %v, its row forced %v, want true", f.Parameters.ForceData, f.Rows[0].Forced)
		}
	})
}

// TestDeviceManyQPs connects 16 QPs, with deep queues and CQ moderation.
func TestDeviceManyQPs(t *testing.T) {
	connections(t, func(t *testing.T, w *workspace, options string) {
		for _, program := range []string{"ib_write_bw", "ib_send_bw", "ib_read_bw"} {
			_, client := w.runPair(statusDone, program, "", options+" -q 16 -t 64 -Q 8 -n 40 -s 256")
			client.wantRows("bw", []int{256}, []string{"poll"})
		}
	})
}

// TestDeviceServerNeedsNoOptions: the server uses its first active device and the client's options.
func TestDeviceServerNeedsNoOptions(t *testing.T) {
	w, options := onDevice(t)
	server, client := w.runPair(statusDone, "ib_send_lat", "", options+" -s 100 -n 50 -e")
	server.wantRows("lat", []int{100}, []string{"event"})
	client.wantRows("lat", []int{100}, []string{"event"})
}

// TestDeviceAgainstEmbedded: an RDMA device and an embedded device do not connect; the error names
// both.
func TestDeviceAgainstEmbedded(t *testing.T) {
	w, options := onDevice(t)
	server, port := w.serve("ib_write_lat", "-d", "shm_whole")
	client := w.connect("ib_write_lat", port, strings.Fields(options)...)
	client.exits(statusUsage, patience)
	server.exits(statusUsage, patience)
	client.wantStderr("shm_whole", *deviceName)
}

// TestDeviceOptionsOfTheDevice names a port and a GID index that the device does not have. The client
// may end before or after it has connected, so the server's status is 0 or 1.
func TestDeviceOptionsOfTheDevice(t *testing.T) {
	for _, c := range []struct{ option, text string }{
		{"-i 7", "port 7"},
		{"-x 200", "GID index 200"},
	} {
		t.Run(c.option, func(t *testing.T) {
			w, options := onDevice(t)
			server, port := w.serve("ib_write_lat", "--persistent")
			client := w.connect("ib_write_lat", port, strings.Fields(options+" "+c.option)...)
			client.exits(statusDevice, patience)
			client.wantStderr(c.text)
			server.signal(sigTerm)
			if got := server.wait(stopLimit + deviceGrace); got != statusDone && got != statusOther {
				t.Errorf("the server ended with status %d\n%s", got, server.output())
			}
		})
	}
}

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/stub"
)

// gpuLibraries compiles the driver libraries of a GPU that exists in tests alone, once, and returns their folder,
// which is in [stub.Folder].
var gpuLibraries = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(stub.Folder(), "gpu")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	for _, l := range []struct{ name, source string }{
		{"libcuda.so.1", "cuda.c"}, {"libamdhip64.so.6", "rocm.c"}, {"libhsa-runtime64.so.1", "rocm.c"},
	} {
		source := filepath.Join("../../internal/gpu/testdata", l.source)
		if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", filepath.Join(dir, l.name), source).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("gcc: %w\n%s", err, out)
		}
	}
	return dir, nil
})

// onGPU returns a workspace with the device stub0 and a GPU. The memory of the server's GPU is in the file dump at its
// end.
func onGPU(t *testing.T) (w *workspace, dump string) {
	t.Helper()
	env := stub.Env(t)
	dir, err := gpuLibraries()
	if err != nil {
		t.Fatal(err)
	}
	w = newWorkspace(t, readyName)
	w.env = append(env, "LD_LIBRARY_PATH="+dir)
	return w, filepath.Join(t.TempDir(), "dump")
}

// gpuPair runs a server and a client, both with messages in memory of a GPU that holds another byte on each side, and
// returns the result file of the client.
func (w *workspace) gpuPair(program, dump, gpu string, options ...string) *result.File {
	w.t.Helper()
	env := w.env
	w.env = append(slices.Clone(env), "STUB_GPU_FILL=7", "STUB_GPU_DUMP="+dump)
	server, port := w.serve(program, "-d", "stub0", gpu)
	w.env = append(slices.Clone(env), "STUB_GPU_FILL=165")
	client := w.start(program, append([]string{"-p", port, w.host, "-d", "stub0", gpu, "--out_json_file", dump + ".json"}, options...)...)
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	client.wantStdout(" Message memory  : GPU (")
	w.env = env
	f, err := result.Read(dump + ".json")
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	return f
}

// TestMessagesInGPUMemory moves messages between the memories of two GPUs: the server's holds the client's bytes
// afterwards, and mode data is left out.
func TestMessagesInGPUMemory(t *testing.T) {
	for _, c := range []struct{ program, gpu, name string }{
		{"ib_write_bw", "--use_cuda=0", "CUDA device 0, Stub GPU"},
		{"ib_send_bw", "--use_cuda_bus_id=0000:3b:00.0", "CUDA device 0000:3b:00.0, Stub GPU"},
		{"ib_write_lat", "--use_rocm=0", "ROCm device 0, Stub Instinct"},
		{"ib_send_lat", "--use_cuda=0", "CUDA device 0, Stub GPU"},
	} {
		t.Run(c.program+" "+c.gpu, func(t *testing.T) {
			w, dump := onGPU(t)
			f := w.gpuPair(c.program, dump, c.gpu, "-s", "200", "-n", "2000")
			if f.Local.GPU != c.name || f.Peer.GPU != c.name || f.Local.Order.Answer != "" || f.Parameters.Inline != 0 {
				t.Errorf("GPUs %q and %q, want %q; order %+v; %d bytes inline", f.Local.GPU, f.Peer.GPU, c.name, f.Local.Order, f.Parameters.Inline)
			}
			if len(f.Rows) != 1 || f.Rows[0].Mode != "poll" {
				t.Errorf("rows %+v, want one of mode poll", f.Rows)
			}
			got, err := os.ReadFile(dump)
			if err != nil || !bytes.Contains(got, bytes.Repeat([]byte{165}, 200)) {
				t.Errorf("the memory of the server's GPU lacks the client's messages: %d bytes, %v", len(got), err)
			}
		})
	}
	t.Run("READ", func(t *testing.T) {
		w, dump := onGPU(t)
		f := w.gpuPair("ib_read_bw", dump, "--use_cuda=0", "-s", "200", "-n", "2000", "-b")
		got, err := os.ReadFile(dump)
		if err != nil || f.Rows[0].Bandwidth.Messages == 0 || !bytes.Contains(got, bytes.Repeat([]byte{165}, 200)) {
			t.Errorf("the memory of the server's GPU lacks what it has read: %d bytes, %v", len(got), err)
		}
	})
	t.Run("compare", func(t *testing.T) {
		w, dump := onGPU(t)
		f := w.gpuPair("ib_send_lat", dump, "--use_cuda=0", "-s", "64", "--compare", "--touch", "none", "-D", "100ms", "--runs", "2")
		for _, r := range f.Rows {
			if r.Mode == "data" {
				t.Errorf("mode data has polled memory of a GPU: %+v", r)
			}
		}
		if !slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == result.WarnDataNotRun }) {
			t.Errorf("no warning that mode data was left out: %+v", f.Warnings)
		}
	})
}

// TestGPURefusals names what is missing, and what memory of a GPU excludes.
func TestGPURefusals(t *testing.T) {
	for _, c := range []struct {
		env, options string
		status       int
		says         []string
	}{
		{"", "--use_cuda=0 --verify", statusUsage, []string{"--verify and --use_cuda 0 exclude each other", "the CPU cannot read"}},
		{"", "--use_cuda=0 --completion data", statusUsage, []string{"about data that the CPU reads"}},
		{"", "--use_rocm=0 --force-data", statusUsage, []string{"--force-data and --use_rocm 0"}},
		{"", "--use_cuda=0 --compare", statusUsage, []string{"--touch none"}},
		{"", "--use_cuda=0 --use_rocm=0", statusUsage, []string{"exclude each other"}},
		{"", "--use_cuda_bus_id=7", statusUsage, []string{"write a PCI address"}},
		{"", "--use_cuda=1", statusDevice, []string{"CUDA device 1", "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE (101)"}},
		{"", "--use_rocm=1", statusDevice, []string{"ROCm device 1", "hipSetDevice: invalid device ordinal (101)"}},
		{"IBPERF_DEVICE=shm_whole", "--use_cuda=0", statusDevice, []string{"embedded devices register main memory only"}},
		{"STUB_GPU_FAIL=dma-buf", "--use_cuda=0", statusDevice, []string{"Stub GPU exports no dma-buf", "open kernel modules"}},
		{"STUB_GPU_FAIL=cuMemAlloc", "--use_cuda=0", statusDevice, []string{"cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)"}},
		{"STUB_GPU_FAIL=export", "--use_rocm=0", statusDevice, []string{"hsa_amd_portable_export_dmabuf: status 0x1000", "CONFIG_PCI_P2PDMA"}},
		{"LD_LIBRARY_PATH=/", "--use_cuda=0", statusDevice, []string{"libcuda.so.1", "install NVIDIA's driver"}},
		{"LD_LIBRARY_PATH=/", "--use_rocm=0", statusDevice, []string{"libamdhip64.so", "install ROCm"}},
	} {
		t.Run(c.env+" "+c.options, func(t *testing.T) {
			w, _ := onGPU(t)
			w.env = append(append(w.env, "IBPERF_DEVICE=stub0"), c.env)
			server, port := w.serve("ib_write_bw")
			client := w.start("ib_write_bw", append([]string{"-p", port, w.host, "-n", "100"}, strings.Fields(c.options)...)...)
			client.exits(c.status, patience)
			client.wantStderr(c.says...)
			server.stop() // of wrong options of the client it has seen nothing
		})
	}
}

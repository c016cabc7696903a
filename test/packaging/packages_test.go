//go:build trials

package packaging

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// architectures are those of the packages.
var architectures = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// TestTrialArchives: the checksums hold, the programs are of their architecture and need no library but
// those of glibc, and every link leads to a file of the archive.
func TestTrialArchives(t *testing.T) {
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = packages
	if ok := strings.Count(output(t, check), ": OK\n"); ok != 6 {
		t.Errorf("%d checksums, want 6: archive, deb and rpm of both architectures", ok)
	}
	for arch, machine := range architectures {
		dir := unpacked(t, arch)
		var size int64
		for _, path := range []string{"bin/ibperf", "lib/ibperf/bin/ib_report"} {
			file, err := elf.Open(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			libraries, err := file.ImportedLibraries()
			if err != nil || file.Machine != machine || slices.ContainsFunc(libraries, func(name string) bool {
				return !slices.Contains([]string{"libc.so.6", "libpthread.so.0", "libdl.so.2", "libresolv.so.2", "ld-linux-aarch64.so.1"}, name)
			}) {
				t.Errorf("%s %s: %v, libraries %q, %v", arch, path, file.Machine, libraries, err)
			}
			file.Close()
			info, err := os.Stat(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		t.Logf("%s: programs of %d MB", arch, size/1e6)
		if size > 40e6 {
			t.Errorf("%s: the programs have %d bytes", arch, size)
		}
		for _, pattern := range []string{"lib/ibperf/bin/ib_*", "share/man/man1/*.1"} {
			paths, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil || len(paths) < 12 {
				t.Errorf("%s: %d files %s, %v", arch, len(paths), pattern, err)
			}
			for _, path := range paths {
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestTrialEmulated: the programs for arm64 run in emulation with the libraries of Debian, which they find.
func TestTrialEmulated(t *testing.T) {
	needs(t, "qemu-aarch64", "apt-get")
	fetch := exec.Command("../debian", "bookworm", "ibverbs", "libc6", "libibverbs1", "librdmacm1", "libnl-3-200", "libnl-route-3-200")
	fetch.Env = append(os.Environ(), "ARCH=arm64")
	fetch.Stderr = os.Stderr
	root, err := fetch.Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run(t, "dpkg-deb", "-x", one(t, "ibperf_*_arm64.deb"), dir)
	emulated := func(words ...string) []string {
		return append([]string{"qemu-aarch64", "-L", strings.TrimSpace(string(root)), filepath.Join(dir, "usr", "bin", "ibperf")}, words...)
	}
	caps := emulated("caps")
	if text := run(t, caps[0], caps[1:]...); !strings.Contains(text, "backend ibv") || strings.Contains(text, "libibverbs") {
		t.Errorf("libibverbs is not found: %s", text)
	}
	pair(t, dir, emulated("write_lat", "--bind_source_ip", "127.0.0.1"), emulated("write_lat", "-n", "100", "--out_json_file", "lat.json"))
	report := filepath.Join(dir, "usr", "lib", "ibperf", "bin", "ib_report")
	run(t, "qemu-aarch64", "-L", strings.TrimSpace(string(root)), report, filepath.Join(dir, "lat.json"))
}

// TestTrialRPM: rpm installs the packages of both architectures, with the files of the Debian packages and
// no requirement but glibc.
func TestTrialRPM(t *testing.T) {
	needs(t, "rpm")
	for arch, name := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		path, root := one(t, "ibperf-*."+name+".rpm"), t.TempDir()
		run(t, "rpm", "--root", root, "--initdb")
		run(t, "rpm", "--root", root, "--install", "--nodeps", "--ignorearch", path)
		run(t, "rpm", "--root", root, "--verify", "--nodeps", "ibperf")
		for line := range strings.Lines(run(t, "rpm", "-qp", "--requires", path)) {
			if !strings.HasPrefix(line, "glibc >= ") && !strings.HasPrefix(line, "rpmlib(") {
				t.Errorf("%s requires %s", path, line)
			}
		}
		list := strings.NewReplacer("/zsh/site-functions", "/zsh/vendor-completions").Replace(run(t, "rpm", "-qlp", path))
		for file := range strings.FieldsSeq(run(t, "sh", "-c", "dpkg-deb --fsys-tarfile \"$0\" | tar -t | grep -v /$ | sed 's/^.//'", one(t, "ibperf_*_"+arch+".deb"))) {
			if !strings.Contains(list, file+"\n") && !strings.HasSuffix(file, "/copyright") {
				t.Errorf("%s is not in %s", file, path)
			}
		}
	}
}

//go:build trials

package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// suite is the Debian release of the root, which the container recipe also names.
const suite = "bookworm"

var debian struct {
	once sync.Once
	path string
	err  error
}

// cleanRoot returns the path of a tar archive with a new Debian of packages that apt needs.
func cleanRoot(t *testing.T) string {
	t.Helper()
	needs(t, "mmdebstrap")
	if os.Getuid() != 0 {
		t.Skip("not run: it needs root, to make a Debian root and to change into it")
	}
	debian.once.Do(func() {
		debian.path = filepath.Join(work, "debian.tar")
		make := exec.Command("mmdebstrap", "--quiet", "--variant=apt", "--mode=root", suite, debian.path)
		make.Stderr = os.Stderr
		debian.err = make.Run()
	})
	if debian.err != nil {
		t.Fatal(debian.err)
	}
	return debian.path
}

// TestTrialDebian installs the package in a clean Debian, beside perftest and with what it recommends, runs
// it, and removes it.
func TestTrialDebian(t *testing.T) {
	image, root := cleanRoot(t), t.TempDir()
	run(t, "tar", "-xf", image, "-C", root)
	run(t, "cp", one(t, "ibperf_*_amd64.deb"), filepath.Join(root, "tmp", "ibperf.deb"))
	in := func(script string) string {
		return run(t, "unshare", "--fork", "--pid", "--mount", "--mount-proc="+filepath.Join(root, "proc"), "chroot", root, "sh", "-euc", script)
	}
	in(`export DEBIAN_FRONTEND=noninteractive
		apt-get -qq update
		apt-get -qq install perftest
		apt-get -qq install --install-recommends /tmp/ibperf.deb
		dpkg --verify ibperf`)
	for script, want := range map[string]string{
		"dpkg -S /usr/bin/ib_write_lat":                     "perftest: ",
		"ibperf --version":                                  "ibperf (ibperf) ",
		"/usr/lib/ibperf/bin/ib_write_lat -V":               "ib_write_lat (ibperf) ",
		"ibperf caps":                                       "shm_whole",
		"dpkg -s libibverbs1 librdmacm1 ibverbs-providers":  "ok installed",
		"head -3 /usr/share/man/man1/ibperf-write_lat.1":    "IB_WRITE_LAT",
		"ls /lib/systemd/system/ /usr/lib/systemd/system/":  "ibperf@.service",
		"ibperf conform --loopback -d shm_whole --run QP.*": "0 differ\n",
	} {
		if text := in(script); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in %s", script, want, text)
		}
	}
	in(`ibperf send_lat --bind_source_ip 127.0.0.1 --port 0 --ready-file port &
		until test -s port; do sleep 0.1; done
		ibperf send_lat -d shm_whole -p $(cat port) --compare -s 8,64 -n 500 --out_json_file lat.json 127.0.0.1
		wait
		ibperf report -o out lat.json
		test -s out/index.html
		ls out/*.svg`)
	in("dpkg --purge ibperf")
	if left := run(t, "sh", "-c", `find "$0"/usr -name '*ibperf*'`, root); left != "" {
		t.Errorf("files are left: %s", left)
	}
}

// TestTrialContainer builds the image of the recipe on a clean Debian and runs it.
func TestTrialContainer(t *testing.T) {
	needs(t, "buildah")
	image, dir := cleanRoot(t), t.TempDir()
	buildah := func(args ...string) string {
		store := []string{"--storage-driver", "vfs", "--root", filepath.Join(dir, "images"), "--runroot", filepath.Join(dir, "run")}
		return run(t, "buildah", append(store, args...)...)
	}
	from := strings.TrimSpace(buildah("from", "scratch"))
	buildah("add", "--quiet", from, image, "/")
	buildah("commit", "--quiet", "--rm", from, "docker.io/library/debian:"+suite+"-slim")
	buildah("bud", "--quiet", "--pull-never", "--isolation", "chroot", "--tag", "ibperf", "--file", "../../packaging/Containerfile", packages)
	t.Log(buildah("images"))
	in := strings.TrimSpace(buildah("from", "--pull-never", "ibperf"))
	if text := buildah("run", "--isolation", "chroot", in, "ibperf", "caps"); !strings.Contains(text, "shm_whole") {
		t.Errorf("ibperf caps printed %s", text)
	}
	if config := buildah("inspect", "--format", "{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}", in); strings.TrimSpace(config) != "[ibperf] [--help]" {
		t.Errorf("the image runs %s", config)
	}
}

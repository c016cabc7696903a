package e2e

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// slurmNodes is the number of nodes of a Slurm on one host.
const slurmNodes = 8

// startSlurm starts a Slurm with eight nodes on this host, and an authentication service of its own, and returns its
// configuration. Both end with the test.
func startSlurm(t *testing.T) (conf string) {
	t.Helper()
	for _, program := range []string{"munged", "slurmctld", "slurmd"} {
		if _, err := exec.LookPath(program); err != nil || os.Getuid() != 0 {
			t.Skipf("as user %d, %v: a Slurm on this host is started by root; test/packages launchers installs it", os.Getuid(), err)
		}
	}
	w := &workspace{t: t, dir: t.TempDir(), temp: t.TempDir(), host: loopback}
	file := func(name string) string { return filepath.Join(w.dir, name) }
	conf = file("slurm.conf")
	w.env = []string{"SLURM_CONF=" + conf}
	munge := w.startService("munged", "-F", "--force", "--key-file", w.mungeKey(), "--socket", file("munge"), "--pid-file", file("munge.pid"),
		"--log-file", file("munge.log"), "--seed-file", file("munge.seed"))
	munge.await("socket", func() bool {
		_, err := os.Stat(file("munge"))
		return err == nil
	})
	w.writeSlurm(conf)
	control := w.startService("slurmctld", "-D", "-c")
	for i := range slurmNodes {
		w.startService("slurmd", "-D", "-N", fmt.Sprint("n", i+1))
	}
	control.await("idle nodes", func() bool {
		cmd := exec.Command("sinfo", "-h", "-t", "idle", "-o", "%D")
		cmd.Env = append(os.Environ(), w.env...)
		out, _ := cmd.Output() // fails until the controller listens
		return strings.TrimSpace(string(out)) == fmt.Sprint(slurmNodes)
	})
	t.Cleanup(func() { w.cancelJobs(t) })
	return conf
}

// cancelJobs ends all jobs of the workspace's Slurm, whose processes would outlive its daemons.
func (w *workspace) cancelJobs(t *testing.T) {
	slurm := func(program string, args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), w.env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", cmd, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	slurm("scancel", "--user", "root")
	if err := waitUntil(patience, func() bool { return slurm("squeue", "-h") == "" }); err != nil {
		t.Errorf("jobs are left: %s", slurm("squeue", "-h"))
	}
}

// startService starts a program of the search path.
func (w *workspace) startService(program string, args ...string) *process {
	w.t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	return w.start(path, args...)
}

// mungeKey writes a key.
func (w *workspace) mungeKey() string {
	w.t.Helper()
	key, path := make([]byte, 1024), filepath.Join(w.dir, "munge.key")
	_, _ = rand.Read(key) // does not fail
	if err := os.WriteFile(path, key, 0o400); err != nil {
		w.t.Fatalf("%v", err)
	}
	return path
}

// writeSlurm writes the configuration of a Slurm in the workspace.
func (w *workspace) writeSlurm(conf string) {
	w.t.Helper()
	host, err := os.Hostname()
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	lines := []string{
		"ClusterName=test", "SlurmctldHost=" + host + "(127.0.0.1)", "SlurmctldPort=" + freePort(w), "SlurmUser=root", "SlurmdUser=root",
		"AuthType=auth/munge", "AuthInfo=socket=" + filepath.Join(w.dir, "munge"),
		"ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SelectType=select/linear", "AccountingStorageType=accounting_storage/none",
		"StateSaveLocation=" + w.temp, "SlurmdSpoolDir=" + w.temp + "/%n",
		"SlurmctldPidFile=" + w.dir + "/control.pid", "SlurmdPidFile=" + w.dir + "/%n.pid", "ReturnToService=2",
		"PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
	}
	for i := range slurmNodes {
		lines = append(lines, fmt.Sprintf("NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%s CPUs=1 State=UNKNOWN", i+1, host, freePort(w)))
	}
	if err := os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatalf("%v", err)
	}
}

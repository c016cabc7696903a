//go:build trials

package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// serves runs the arguments of a persistent server, with places in braces for its address and the file with
// its secret: a client with the secret is served, another one is not.
func serves(t *testing.T, args []string) {
	t.Helper()
	ibperf, dir := filepath.Join(here(t), "ibperf"), t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("a secret of enough bytes"), 0o400); err != nil {
		t.Fatal(err)
	}
	places := strings.NewReplacer("{address}", "127.0.0.1", "{secret}", secret)
	server := []string{ibperf}
	for _, arg := range args {
		server = append(server, places.Replace(arg))
	}
	client := []string{ibperf, "read_lat", "-n", "100"}
	pair(t, dir, server, append(slices.Clip(client), "--secret-file", secret), client)
}

// TestTrialUnit: systemd accepts the unit, and its command serves.
func TestTrialUnit(t *testing.T) {
	const unit = "../../packaging/ibperf@.service"
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/ibperf (.*)$`).FindStringSubmatch(string(text))
	if start == nil {
		t.Fatal("no ExecStart with /usr/bin/ibperf")
	}
	serves(t, strings.Fields(strings.NewReplacer("%I", "{address}", "/etc/ibperf/secret", "{secret}").Replace(start[1])))
	needs(t, "systemd-analyze")
	// systemd looks for the program and for its own units below the root.
	copied := filepath.Join(t.TempDir(), "ibperf@192.0.2.1.service")
	program := filepath.Join(here(t), "ibperf")
	if err := os.WriteFile(copied, []byte(strings.ReplaceAll(string(text), "/usr/bin/ibperf", program)), 0o644); err != nil {
		t.Fatal(err)
	}
	verify := exec.Command("systemd-analyze", "verify", "--man=no", copied)
	if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), "ibperf") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// TestTrialKubernetes: every member of the Job is one of Kubernetes, and its command serves.
func TestTrialKubernetes(t *testing.T) {
	text, err := os.ReadFile("../../packaging/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var job batch.Job
	if err := yaml.Unmarshal(text, &job, yaml.DisallowUnknownFields); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte("kind: Job\nspec: {nothing: 1}"), &batch.Job{}, yaml.DisallowUnknownFields); err == nil {
		t.Error("an unknown member is accepted")
	}
	pod := job.Spec.Template.Spec
	if job.Kind != "Job" || job.APIVersion != "batch/v1" || len(pod.Containers) != 1 || len(pod.Volumes) != 1 || *pod.Volumes[0].Secret.DefaultMode != 0o400 {
		t.Fatalf("%+v", job)
	}
	server := pod.Containers[0]
	if mount := server.VolumeMounts[0]; mount.Name != pod.Volumes[0].Name || mount.MountPath != "/secret" || server.Env[0].Name != "ADDRESS" {
		t.Errorf("volume %+v, environment %+v", mount, server.Env)
	}
	serves(t, strings.Split(strings.NewReplacer("$(ADDRESS)", "{address}", "/secret/secret", "{secret}").Replace(strings.Join(server.Args, "\n")), "\n"))
}

//go:build trials

package packaging

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// clusterManifest decodes the Service and the Job, whose members are all Kubernetes'.
func clusterManifest(t *testing.T) (service core.Service, job batch.Job) {
	t.Helper()
	text, err := os.ReadFile("../../packaging/kubernetes-cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := bytes.Split(text, []byte("\n---\n"))
	if len(documents) != 2 {
		t.Fatalf("%d documents", len(documents))
	}
	for i, into := range []any{&service, &job} {
		if err := yaml.Unmarshal(documents[i], into, yaml.DisallowUnknownFields); err != nil {
			t.Fatal(err)
		}
	}
	return service, job
}

// TestTrialKubernetesCluster: the Job is one of Kubernetes, and its command finds rank 0 in the environment of its pods, though
// the name of rank 0's pod resolves only after a while. Each rank has hostname and /etc/hosts of a pod.
func TestTrialKubernetesCluster(t *testing.T) {
	service, job := clusterManifest(t)
	pod := job.Spec.Template.Spec
	args := pod.Containers[0].Args
	ranks := int(*job.Spec.Completions)
	if *job.Spec.CompletionMode != batch.IndexedCompletion || int(*job.Spec.Parallelism) != ranks || !strings.Contains(strings.Join(args, " "), "--ranks "+strconv.Itoa(ranks)+" ") {
		t.Errorf("%d pods, %d at once, command %q", ranks, *job.Spec.Parallelism, args)
	}
	if label := service.Spec.Selector["app"]; pod.Subdomain != service.Name || service.Spec.ClusterIP != core.ClusterIPNone || job.Spec.Template.Labels["app"] != label {
		t.Errorf("the pods have no names: subdomain %q, Service %+v", pod.Subdomain, service.Spec)
	}
	if os.Getuid() != 0 {
		t.Skip("namespaces with an /etc/hosts of their own need root")
	}
	needs(t, "unshare")
	ranksOf := newPods(t, job.Name, pod.Subdomain, args)
	for i := range ranks {
		ranksOf.start(i)
	}
	time.Sleep(3 * time.Second) // the other pods have looked for rank 0 by now
	for i := 1; i < ranks; i++ {
		ranksOf.addHost(i, 0)
	}
	for i := range ranks {
		if err := ranksOf.wait(i); err != nil {
			t.Errorf("rank %d: %v\n%s", i, err, ranksOf.outputs[i])
		}
	}
	if text := ranksOf.outputs[0].String(); !strings.Contains(text, "4 nodes: ") || !strings.HasSuffix(text, "; exit status 0\n") || strings.Contains(text, "did not appear") {
		t.Errorf("rank 0 printed\n%s", text)
	}
}

// pods are the processes of an Indexed Job on this host.
type pods struct {
	t           *testing.T
	job, domain string
	args        []string
	dir         string
	commands    map[int]*exec.Cmd
	outputs     map[int]*bytes.Buffer
}

func newPods(t *testing.T, job, subdomain string, args []string) *pods {
	p := &pods{t: t, job: job, domain: "." + subdomain + ".default.svc.cluster.local", dir: t.TempDir(), commands: map[int]*exec.Cmd{}, outputs: map[int]*bytes.Buffer{}}
	secret := filepath.Join(p.dir, "secret")
	if err := os.WriteFile(secret, []byte("a secret of enough bytes"), 0o400); err != nil {
		t.Fatal(err)
	}
	places := strings.NewReplacer("/secret/secret", secret, "/out", filepath.Join(p.dir, "out"))
	for _, arg := range args {
		p.args = append(p.args, places.Replace(arg))
	}
	return p
}

func (p *pods) name(i int) string { return fmt.Sprintf("%s-%d", p.job, i) }

func (p *pods) hosts(i int) string { return filepath.Join(p.dir, p.name(i)+".hosts") }

// addHost adds the name of a pod to the /etc/hosts of one.
func (p *pods) addHost(of, i int) {
	p.t.Helper()
	f, err := os.OpenFile(p.hosts(of), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "127.0.0.1\t%s%s\t%[1]s\n", p.name(i), p.domain)
}

// start starts a rank with the hostname, the /etc/hosts and the variables of its pod.
func (p *pods) start(i int) {
	p.t.Helper()
	p.addHost(i, i)
	const script = `hostname "$1" && mount --bind "$2" /etc/hosts && shift 2 && exec "$@"`
	cmd := exec.Command("unshare", append([]string{"--mount", "--uts", "sh", "-c", script, "sh", p.name(i), p.hosts(i),
		filepath.Join(here(p.t), "ibperf")}, append(p.args, "-d", "shm_whole")...)...)
	cmd.Env = append(os.Environ(), "HOSTNAME="+p.name(i), "JOB_COMPLETION_INDEX="+strconv.Itoa(i))
	p.outputs[i] = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = p.outputs[i], p.outputs[i]
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.commands[i] = cmd
	p.t.Cleanup(func() { _ = cmd.Process.Kill() })
}

// wait waits for the end of a rank.
func (p *pods) wait(i int) error {
	timer := time.AfterFunc(5*time.Minute, func() { _ = p.commands[i].Process.Kill() })
	defer timer.Stop()
	return p.commands[i].Wait()
}

package launch

import (
	"strings"
	"testing"
)

// environment parses variables, one in a line.
func environment(text, hosts string) Environment {
	e := Environment{Variables: map[string]string{}, Hosts: hosts}
	for _, line := range strings.Fields(text) {
		name, value, _ := strings.Cut(line, "=")
		e.Variables[name] = value
	}
	return e
}

// none is of a command line without options.
var none = Given{Rank: -1}

const slurm = `SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=8 SLURM_NTASKS=8 SLURM_LOCALID=0 SLURM_JOB_ID=1 SLURM_STEP_ID=0
	SLURM_STEP_NODELIST=n[1-8] SLURM_LAUNCH_NODE_IPADDR=10.0.0.1 `

// TestLaunchers has the variables that launchers were seen to give, and those that their documentation names.
func TestLaunchers(t *testing.T) {
	for _, c := range []struct{ name, variables, hosts, want string }{
		{"srun", slurm, "", `
			launcher srun
			rank 1 of 8, rank 0 on its host (SLURM_PROCID, SLURM_STEP_NUM_TASKS)
			job 1.0
			rank 0 n1 (first of SLURM_STEP_NODELIST) or 10.0.0.1 (SLURM_LAUNCH_NODE_IPADDR)`},
		{"srun --distribution=arbitrary", slurm + "SLURM_DISTRIBUTION=arbitrary", "", `
			launcher srun
			rank 1 of 8, rank 0 on its host (SLURM_PROCID, SLURM_STEP_NUM_TASKS)
			job 1.0
			rank 0 10.0.0.1 (SLURM_LAUNCH_NODE_IPADDR)`},
		{"srun --mpi=pmi2", slurm + "PMI_FD=11 PMI_RANK=1 PMI_SIZE=8 PMI_JOBID=1.0", "", `
			launcher srun
			rank 1 of 8, rank 0 on its host (SLURM_PROCID, SLURM_STEP_NUM_TASKS)
			job 1.0
			rank 0 by PMI-1 over descriptor 11 (PMI_FD)
			else n1 (first of SLURM_STEP_NODELIST) or 10.0.0.1 (SLURM_LAUNCH_NODE_IPADDR)`},
		{"srun --mpi=pmix", slurm + "PMIX_RANK=1 PMIX_NAMESPACE=slurm.pmix.1.0", "", `
			launcher srun
			rank 1 of 8, rank 0 on its host (SLURM_PROCID, SLURM_STEP_NUM_TASKS)
			job 1.0
			rank 0 by PMIx in namespace slurm.pmix.1.0 (PMIX_NAMESPACE)
			else n1 (first of SLURM_STEP_NODELIST) or 10.0.0.1 (SLURM_LAUNCH_NODE_IPADDR)`},
		{"mpirun of Open MPI 4 in a Slurm step", slurm + `OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=16 OMPI_COMM_WORLD_LOCAL_RANK=1
			PMIX_RANK=5 PMIX_NAMESPACE=1751908353 OMPI_MCA_orte_hnp_uri=1751908352.0;tcp://192.0.2.2,10.0.0.2:58647;tcp6://[fd00::2]:44665`, "", `
			launcher Open MPI
			rank 5 of 16, rank 1 on its host (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE)
			job 1751908353
			rank 0 by PMIx in namespace 1751908353 (PMIX_NAMESPACE)
			else 192.0.2.2 (OMPI_MCA_orte_hnp_uri) or 10.0.0.2 (OMPI_MCA_orte_hnp_uri) or fd00::2 (OMPI_MCA_orte_hnp_uri)
			not used srun: Open MPI was started inside it`},
		{"Hydra", "PMI_RANK=1 PMI_SIZE=3 PMI_FD=8 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=3", "", `
			launcher Hydra
			rank 1 of 3, rank 1 on its host (PMI_RANK, PMI_SIZE)
			job not known
			rank 0 by PMI-1 over descriptor 8 (PMI_FD)`},
		{"Flux", "FLUX_TASK_RANK=2 FLUX_JOB_SIZE=4 FLUX_TASK_LOCAL_ID=0 FLUX_JOB_ID=f23 PMI_FD=5 PMI_RANK=2 PMI_SIZE=4", "", `
			launcher Flux
			rank 2 of 4, rank 0 on its host (FLUX_TASK_RANK, FLUX_JOB_SIZE)
			job f23
			rank 0 by PMI-1 over descriptor 5 (PMI_FD)`},
		{"torchrun has its own store at MASTER_PORT", slurm + "RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 MASTER_ADDR=node1 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=r7", "", `
			launcher torchrun
			rank 9 of 16, rank 1 on its host (RANK, WORLD_SIZE)
			job r7
			rank 0 node1 (MASTER_ADDR)
			not used srun: torchrun was started inside it`},
		{"AWS Batch", "AWS_BATCH_JOB_NODE_INDEX=2 AWS_BATCH_JOB_NUM_NODES=4 AWS_BATCH_JOB_ID=abc#2 AWS_BATCH_JOB_MAIN_NODE_INDEX=0 AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS=10.1.0.9", "", `
			launcher AWS Batch
			rank 2 of 4 (AWS_BATCH_JOB_NODE_INDEX, AWS_BATCH_JOB_NUM_NODES)
			job abc
			rank 0 10.1.0.9 (AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS)`},
		{"LeaderWorkerSet", "LWS_WORKER_INDEX=1 LWS_GROUP_SIZE=2 LWS_LEADER_ADDRESS=job-0.job.ns", "", `
			launcher LeaderWorkerSet
			rank 1 of 2 (LWS_WORKER_INDEX, LWS_GROUP_SIZE)
			job job-0.job.ns
			rank 0 job-0.job.ns (LWS_LEADER_ADDRESS)`},
		{"Volcano", "VC_TASK_INDEX=1 VC_WORKER_NUM=3 VC_WORKER_HOSTS=j-worker-0.j,j-worker-1.j,j-worker-2.j", "", `
			launcher Volcano
			rank 1 of 3 (VC_TASK_INDEX, VC_WORKER_NUM)
			job not known
			rank 0 j-worker-0.j (first of VC_WORKER_HOSTS)`},
	} {
		place, err := Find(environment(c.variables, c.hosts), none)
		wantPlace(t, c.name, place, err, c.want)
	}
}

func wantPlace(t *testing.T, name string, place *Place, err error, want string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if got := place.Explain(); words(got) != words(want) {
		t.Errorf("%s:\n%s\nwant %s", name, got, want)
	}
}

// TestIndexedJob: the size is not in the environment, and rank 0's name is this pod's with another index.
func TestIndexedJob(t *testing.T) {
	hosts := "127.0.0.1 localhost\n# 10.2.0.1 bench-13.wrong\n10.2.0.7\tbench-13.bench.team.svc.cluster.local\tbench-13\n"
	e := environment("JOB_COMPLETION_INDEX=13 HOSTNAME=bench-13", hosts)
	place, err := Find(e, Given{Rank: -1, Ranks: 20})
	wantPlace(t, "with --ranks", place, err, `
		launcher Indexed Job
		rank 13 of 20 (JOB_COMPLETION_INDEX, --ranks)
		job bench.bench.team.svc.cluster.local
		rank 0 bench-0.bench.team.svc.cluster.local (this pod's name in /etc/hosts)`)
	wantError(t, e, none, "Indexed Job has no number of ranks in the environment: give --ranks")
	e.Hosts = "10.2.0.7 bench-13\n"
	wantError(t, e, Given{Rank: -1, Ranks: 20}, "Indexed Job has no address of rank 0 in the environment: give --root")
}

// TestGiven: the command line goes before the environment.
func TestGiven(t *testing.T) {
	place, err := Find(environment("", ""), Given{Rank: 1, Ranks: 2, Root: "node1"})
	wantPlace(t, "without a launcher", place, err, `
		launcher none
		rank 1 of 2 (--rank, --ranks)
		job not known
		rank 0 node1 (--root)`)
	place, err = Find(environment(slurm, ""), Given{Rank: -1, Root: "node1"})
	wantPlace(t, "address under srun", place, err, `
		launcher srun
		rank 1 of 8, rank 0 on its host (SLURM_PROCID, SLURM_STEP_NUM_TASKS)
		job 1.0
		rank 0 node1 (--root)`)
}

func wantError(t *testing.T, e Environment, given Given, want string) {
	t.Helper()
	if place, err := Find(e, given); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v: %+v, %v, want an error with %q", e.Variables, place, err, want)
	}
}

func TestPlacesThatAreNotKnown(t *testing.T) {
	for variables, want := range map[string]string{
		"":                                              "no launcher is recognised",
		"RANK=1 WORLD_SIZE=2":                           "no launcher is recognised", // without MASTER_ADDR these names may mean anything
		"SLURM_PROCID=0 SLURM_NTASKS=8":                 "start ib_cluster with srun",
		"SLURM_PROCID=x SLURM_STEP_NUM_TASKS=2":         `variable SLURM_PROCID is "x"`,
		"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=-2":        `variable SLURM_STEP_NUM_TASKS is "-2"`,
		"SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=2":         "rank 2 of 2 ranks (SLURM_PROCID, SLURM_STEP_NUM_TASKS) is not possible",
		"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2": "Open MPI has no address of rank 0",
		"PBS_NODENUM=1":                                 "pbsdsh has no number of ranks",
		"VC_TASK_INDEX=1 VC_A_NUM=2 VC_B_NUM=2":         "Volcano has no number of ranks",
		"AWS_BATCH_JOB_NODE_INDEX=0 AWS_BATCH_JOB_NUM_NODES=2 AWS_BATCH_JOB_MAIN_NODE_INDEX=1":                                                       "",
		"AWS_BATCH_JOB_NODE_INDEX=1 AWS_BATCH_JOB_NUM_NODES=2 AWS_BATCH_JOB_MAIN_NODE_INDEX=1 AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS=10.0.0.1": "no address of rank 0",
	} {
		e := environment(variables, "")
		if _, err := Find(e, none); err == nil && want == "" {
			continue
		}
		wantError(t, e, none, want)
	}
	wantError(t, environment("", ""), Given{Rank: -1, Ranks: 2}, "the rank of this process is not known: give --rank")
	wantError(t, environment("", ""), Given{Rank: 1, Ranks: 2}, "a process without a launcher has no address of rank 0 in the environment: give --root")
}

// TestFirstHost: lists are those of scontrol show hostlist.
func TestFirstHost(t *testing.T) {
	for list, want := range map[string]string{
		"n1":                    "n1",
		"n1,n2":                 "n1",
		"n[1-8]":                "n1",
		"n[01-08],login":        "n01",
		"gpu[3,7-9]-ib":         "gpu3-ib",
		"rack[1-2]n[1-4]":       "rack1n1",
		"a-b-1.site,a-b-2.site": "a-b-1.site",
		"n[1-8":                 "",
		"":                      "",
	} {
		if got := firstHost(list); got != want {
			t.Errorf("first of %q: %q, want %q", list, got, want)
		}
	}
}

package launch

import (
	"maps"
	"slices"
	"strings"
)

// A launcher is recognised by its variables.
type launcher struct {
	name   string
	rank   string   // the variable with the rank
	size   string   // the variable with the number of ranks; empty: none, or sizeVariable finds it
	local  string   // the variable with the rank on its host
	needs  []string // further variables by which it is recognised
	job    func(Environment) string
	routes func(Environment) []Route
}

// launchers has the inner ones first: mpirun under Slurm also has Slurm's variables, which are those of its daemon.
var launchers = []launcher{
	{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", []string{"MASTER_ADDR"}, variable("TORCHELASTIC_RUN_ID"), address("MASTER_ADDR")},
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", nil, openMPIJob, openMPIRoutes},
	{"Hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", []string{"MPI_LOCALRANKID"}, variable("PMI_JOBID"), pmi},
	{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", nil, variable("FLUX_JOB_ID"), pmi},
	{"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_RANK", nil, variable("LSB_JOBID"), pmix},
	{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", []string{"SLURM_STEP_NUM_TASKS"}, slurmJob, slurmRoutes},
	{"pbsdsh", "PBS_NODENUM", "", "", nil, variable("PBS_JOBID"), nil},
	{"AWS Batch", "AWS_BATCH_JOB_NODE_INDEX", "AWS_BATCH_JOB_NUM_NODES", "", nil, batchJob, batchRoutes},
	{"LeaderWorkerSet", "LWS_WORKER_INDEX", "LWS_GROUP_SIZE", "", nil, variable("LWS_LEADER_ADDRESS"), address("LWS_LEADER_ADDRESS")},
	{"Volcano", "VC_TASK_INDEX", "", "", nil, nil, volcanoRoutes},
	{"Indexed Job", "JOB_COMPLETION_INDEX", "", "", nil, indexedJob, indexedRoutes},
}

func (l *launcher) recognised(e Environment) bool {
	for _, needed := range append([]string{l.rank}, l.needs...) {
		if e.Variables[needed] == "" {
			return false
		}
	}
	return true
}

// sizeVariable returns the variable that holds the number of ranks, or "" if there is none.
func (l *launcher) sizeVariable(e Environment) string {
	if l.name == "Volcano" {
		return volcano(e, "_NUM")
	}
	return l.size
}

func variable(name string) func(Environment) string {
	return func(e Environment) string { return e.Variables[name] }
}

// route returns the route to the address that a variable holds, if it does.
func (e Environment) route(kind Kind, variable string) []Route {
	if e.Variables[variable] == "" {
		return nil
	}
	return []Route{{kind, e.Variables[variable], variable}}
}

func address(name string) func(Environment) []Route {
	return func(e Environment) []Route { return e.route(Address, name) }
}

// pmi returns the route by version 1 of the process management interface: lines of text over a descriptor.
func pmi(e Environment) []Route { return e.route(Exchange, "PMI_FD") }

// pmix returns the route by PMIx, of processes that have a place there.
func pmix(e Environment) []Route {
	if e.Variables["PMIX_RANK"] == "" {
		return nil
	}
	return e.route(PMIx, "PMIX_NAMESPACE")
}

// batchJob returns the job of AWS Batch, whose variable ends in the number of the node.
func batchJob(e Environment) string {
	job, _, _ := strings.Cut(e.Variables["AWS_BATCH_JOB_ID"], "#")
	return job
}

// batchRoutes: the address is that of the main node, which a job may choose, and not in the main node's environment.
func batchRoutes(e Environment) []Route {
	if main := e.Variables["AWS_BATCH_JOB_MAIN_NODE_INDEX"]; main != "" && main != "0" {
		return nil
	}
	return e.route(Address, "AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS")
}

// volcano returns the variable VC_x_END of a job that has only one task x.
func volcano(e Environment, end string) string {
	of := slices.DeleteFunc(slices.Collect(maps.Keys(e.Variables)), func(name string) bool {
		return !strings.HasPrefix(name, "VC_") || !strings.HasSuffix(name, end)
	})
	if len(of) != 1 {
		return ""
	}
	return of[0]
}

func volcanoRoutes(e Environment) []Route {
	hosts := volcano(e, "_HOSTS")
	first, _, _ := strings.Cut(e.Variables[hosts], ",")
	if first == "" {
		return nil
	}
	return []Route{{Address, first, "first of " + hosts}}
}

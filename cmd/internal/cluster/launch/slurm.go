package launch

import "strings"

// slurmJob returns job and step.
func slurmJob(e Environment) string {
	return e.Variables["SLURM_JOB_ID"] + "." + e.Variables["SLURM_STEP_ID"]
}

// slurmRoutes: the host of srun is that of rank 0 in a batch script, and a login node otherwise.
func slurmRoutes(e Environment) []Route {
	routes := append(pmi(e), pmix(e)...)
	if first := firstHost(e.Variables["SLURM_STEP_NODELIST"]); first != "" && e.Variables["SLURM_DISTRIBUTION"] != "arbitrary" {
		routes = append(routes, Route{Guess, first, "first of SLURM_STEP_NODELIST"})
	}
	return append(routes, e.route(Guess, "SLURM_LAUNCH_NODE_IPADDR")...)
}

// firstHost returns the first name of a Slurm host list such as rack[1-2]n[01-08],login.
func firstHost(list string) string {
	var name strings.Builder
	for list != "" && list[0] != ',' {
		if list[0] != '[' {
			name.WriteByte(list[0])
			list = list[1:]
			continue
		}
		numbers, rest, closed := strings.Cut(list[1:], "]")
		if !closed {
			return ""
		}
		name.WriteString(numbers[:endOf(numbers, ",-")])
		list = rest
	}
	return name.String()
}

// endOf returns the index of the first of some characters, or the length.
func endOf(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

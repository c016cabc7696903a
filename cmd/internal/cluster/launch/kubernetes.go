package launch

import (
	"slices"
	"strings"
)

// podName returns the name of this pod of an Indexed Job without its index, and what follows the index: "job" and
// ".service.namespace.svc.cluster.local" of job-3.service.namespace.svc.cluster.local.
func podName(e Environment) (job, domain string) {
	host := e.Variables["HOSTNAME"]
	job, indexed := strings.CutSuffix(host, "-"+e.Variables["JOB_COMPLETION_INDEX"])
	if !indexed {
		return "", ""
	}
	for line := range strings.Lines(e.Hosts) {
		line, _, _ = strings.Cut(line, "#")
		names := strings.Fields(line)
		if i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, host+".") }); i > 0 {
			return job, strings.TrimPrefix(names[i], host)
		}
	}
	return job, ""
}

func indexedJob(e Environment) string {
	job, domain := podName(e)
	return job + domain
}

// indexedRoutes returns the route to the pod with index 0, which has a name if the Job has a subdomain.
func indexedRoutes(e Environment) []Route {
	job, domain := podName(e)
	if domain == "" {
		return nil
	}
	return []Route{{Address, job + "-0" + domain, "this pod's name in /etc/hosts"}}
}

package launch

import (
	"net"
	"strings"
)

const openMPIHost = "OMPI_MCA_orte_hnp_uri" // jobid.0;tcp://ip,ip:port;tcp6://...

func openMPIJob(e Environment) string {
	if name := e.Variables["PMIX_NAMESPACE"]; name != "" {
		return name
	}
	job, _, _ := strings.Cut(e.Variables[openMPIHost], ".")
	return job
}

// openMPIRoutes: mpirun's host is that of rank 0 in an allocation, and not if mpirun runs on a login node.
func openMPIRoutes(e Environment) []Route {
	routes := pmix(e)
	for _, part := range strings.Split(e.Variables[openMPIHost], ";")[1:] {
		_, hosts, _ := strings.Cut(part, "://")
		if i := strings.LastIndex(hosts, ":"); i >= 0 {
			hosts = hosts[:i]
		}
		for _, host := range strings.Split(strings.Trim(hosts, "[]"), ",") {
			if net.ParseIP(host) != nil {
				routes = append(routes, Route{Guess, host, openMPIHost})
			}
		}
	}
	return routes
}

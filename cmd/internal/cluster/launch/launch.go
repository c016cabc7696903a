// Package launch finds the place of this process in a cluster: its rank, the number of ranks, the identity of the
// job, and how rank 0 is reached. It reads environment variables and files, and opens no connection.
package launch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An Environment is what a launcher gives a process.
type Environment struct {
	Variables map[string]string
	Hosts     string // the text of /etc/hosts
}

// Given holds what the command line says. It goes before what a launcher says.
type Given struct {
	Rank, Ranks int    // below 0, and 0: not given
	Root        string // address of rank 0
}

// A Place is where a process is in a cluster.
type Place struct {
	Launcher    string
	From        []string // the variables and options that rank and size are from
	Rank, Ranks int
	LocalRank   int      // among the ranks of the host; below 0: not known
	Job         string   // identity of the job, the same for all ranks; empty: not known
	Routes      []Route  // to rank 0, in the order in which they are tried
	Also        []string // launchers around it, which are not used
}

// A Kind is a kind of route to rank 0. Routes of the same kind are tried side by side.
type Kind int

// The kinds of routes, the best first.
const (
	GivenRoot Kind = iota
	Exchange       // the launcher hands the address from rank 0 to the others, by PMI-1
	PMIx           // the same by PMIx
	Address        // the launcher has given the address
	Guess          // an address that is rank 0's under most circumstances
)

// A Route is a route to rank 0.
type Route struct {
	Kind    Kind
	Address string // a name or an IP address; of Exchange the file descriptor, of PMIx the namespace
	From    string
}

// ErrNone says that the environment is of no launcher.
var ErrNone = errors.New("no launcher is recognised: start ib_cluster with srun, mpirun, mpiexec, flux run, torchrun " +
	"or in an Indexed Job, or name its place with --rank, --ranks and --root")

// Find returns the place of this process.
func Find(e Environment, given Given) (*Place, error) {
	var found []*launcher
	for i := range launchers {
		if launchers[i].recognised(e) {
			found = append(found, &launchers[i])
		}
	}
	p := &Place{Rank: -1, LocalRank: -1}
	if len(found) > 0 {
		if err := p.take(e, found[0]); err != nil {
			return nil, err
		}
		for _, other := range found[1:] {
			p.Also = append(p.Also, other.name)
		}
	}
	p.apply(given)
	return p, p.check(e, len(found) > 0)
}

// take reads what a launcher has given.
func (p *Place) take(e Environment, l *launcher) (err error) {
	p.Launcher = l.name
	if p.Rank, err = e.number(l.rank); err != nil {
		return err
	}
	p.From = append(p.From, l.rank)
	if size := l.sizeVariable(e); size != "" {
		if p.Ranks, err = e.number(size); err != nil {
			return err
		}
		p.From = append(p.From, size)
	}
	if e.Variables[l.local] != "" {
		if p.LocalRank, err = e.number(l.local); err != nil {
			return err
		}
	}
	if l.job != nil {
		p.Job = l.job(e)
	}
	if l.routes != nil {
		p.Routes = l.routes(e)
	}
	return nil
}

// apply puts what was given before what was found.
func (p *Place) apply(given Given) {
	if given.Rank >= 0 {
		p.Rank, p.From = given.Rank, append(p.From, "--rank")
	}
	if given.Ranks > 0 {
		p.Ranks, p.From = given.Ranks, append(p.From, "--ranks")
	}
	if given.Root != "" {
		p.Routes = []Route{{GivenRoot, given.Root, "--root"}}
	}
	if p.Launcher == "" {
		p.Launcher = "none"
	}
}

// check reports what is missing or contradicts itself.
func (p *Place) check(e Environment, found bool) error {
	switch {
	case !found && p.Rank < 0 && e.Variables["SLURM_PROCID"] != "":
		return errors.New("this is the batch script of a Slurm job and no step: start ib_cluster with srun")
	case !found && p.Rank < 0 && p.Ranks == 0:
		return ErrNone
	case p.Rank < 0:
		return errors.New("the rank of this process is not known: give --rank")
	case p.Ranks == 0:
		return fmt.Errorf("%s has no number of ranks in the environment: give --ranks", p.subject())
	case p.Rank >= p.Ranks:
		return fmt.Errorf("rank %d of %d ranks (%s) is not possible: ranks begin with 0", p.Rank, p.Ranks, strings.Join(p.From, ", "))
	case p.Rank > 0 && len(p.Routes) == 0:
		return fmt.Errorf("%s has no address of rank 0 in the environment: give --root", p.subject())
	}
	return nil
}

func (p *Place) subject() string {
	if p.Launcher == "none" {
		return "a process without a launcher"
	}
	return p.Launcher
}

// number returns the value of a variable that holds a number from 0.
func (e Environment) number(variable string) (int, error) {
	n, err := strconv.Atoi(e.Variables[variable])
	if err != nil || n < 0 {
		return 0, fmt.Errorf("environment variable %s is %q, and not a number from 0: unset it", variable, e.Variables[variable])
	}
	return n, nil
}

package option

import "errors"

const groupAccepted = "Accepted for perftest's sake, without effect"

// acceptedOptions ask for what the programs do anyway, so that command lines of perftest
// that have them stay as they are.
var acceptedOptions = []*Option{
	accepted("perform_warm_up", "each size is warmed up for a while before it is measured"),
	accepted("disable_dynamic_polling", "how many completions are taken at a time never adapts"),
	accepted("disable_numa", "nothing is bound to a NUMA node without --numa_node"),
	accepted("use_old_post_send", "requests are posted by ibv_post_send"),
	accepted("no_enhanced_reorder", "the QPs of mlx5 devices are made without this feature"),
	accepted("data_validation_debug", "what --data_validation found is always printed, and is in the result file"),
	accepted("ipv6-addr", "an IPv6 host needs no option"),
	{
		Name: "comm_rdma_cm", Letter: "z", Group: groupAccepted, Whose: Each, value: holds{},
		Help:     "what the sides tell each other goes over TCP, with an IP address of the RDMA interface too",
		Perftest: "the control connection stays TCP, to the address that is named",
	},
}

// accepted is an option that asks for what holds without it.
func accepted(name, what string) *Option {
	return &Option{Name: name, Group: groupAccepted, Whose: Each, Help: what, Perftest: "nothing to change: " + what, value: holds{}}
}

// holds is the value of an option that is always true.
type holds struct{}

func (holds) set(_ *Settings, argument string) error {
	if argument != "true" {
		return errors.New("it cannot be turned off")
	}
	return nil
}

func (holds) text(*Settings) string          { return "true" }
func (holds) copy(*Settings, *Settings)      {}
func (holds) check(*Settings) error          { return nil }
func (holds) encode(*Settings) any           { return true }
func (holds) decode(*Settings, []byte) error { return nil }

package option

import "errors"

// acceptedOptions are options of perftest that the programs accept and ignore. Their help texts say
// what the programs do.
var acceptedOptions = []*Option{
	accepted("perform_warm_up", "each size is warmed up before it is measured"),
	accepted("disable_dynamic_polling", "the number of completions per ibv_poll_cq is constant"),
	accepted("disable_numa", "the process is bound to a NUMA node only by --numa_node"),
	accepted("data_validation_debug", "the results of a check of the bytes are always printed and in the result file"),
	accepted("use_cuda_dmabuf", "memory of --use_cuda is always registered by its dma-buf, without nvidia-peermem"),
	accepted("use_rocm_dmabuf", "memory of --use_rocm is always registered by its dma-buf"),
	accepted("ipv6-addr", "an IPv6 host needs no option"),
	{
		Name: "comm_rdma_cm", Letter: "z", Group: GroupAccepted, Scope: PerSide, value: holds{},
		Help:     "the control connection is TCP, also with an IP address of an RDMA interface",
		Perftest: "the control connection is TCP, to the given address",
	},
}

// accepted returns an option that is ignored; what says what the programs do instead.
func accepted(name, what string) *Option {
	return &Option{Name: name, Group: GroupAccepted, Scope: PerSide, Help: what, Perftest: "nothing to change: " + what, value: holds{}}
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

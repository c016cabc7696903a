package option

// Absent is an option of perftest that the programs do not have.
type Absent struct {
	Name, Letter string // as perftest spells them; Letter may be empty
	Why          string // the reason, and what to do instead, in one line
}

// Reasons that several options share.
const (
	whyCrypto      = "inline encryption of mlx5 devices is not supported"
	whyDC          = "not supported: DC is a transport of mlx5 devices alone, and all tests use RC"
	whyFile        = "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: mapped files are not supported"
	whyNVIDIA      = "of NVIDIA GPUs only their own memory is supported, by its dma-buf: --use_cuda"
	whyMooreThread = "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: Moore Threads GPUs are not supported"
	whyNeuron      = "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: AWS Neuron devices are not supported"
	whyHabana      = "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: Habana accelerators are not supported"
	whyCambricon   = "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: Cambricon accelerators are not supported"
	whyOpenCL      = "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: OpenCL devices are not supported"
	whyRaw         = "an option of raw_ethernet programs, which this suite does not have"
)

// Absents lists them in the order of perftest's documentation.
var Absents = []Absent{
	{"log_dci_streams", "", whyDC},
	{"log_active_dci_streams", "", whyDC},
	{"aes_xts", "", whyCrypto},
	{"encrypt_on_tx", "", whyCrypto},
	{"sig_before", "", whyCrypto},
	{"aes_block_size", "", whyCrypto},
	{"data_enc_keys_number", "", whyCrypto},
	{"kek_path", "", whyCrypto},
	{"credentials_path", "", whyCrypto},
	{"data_enc_key_app_path", "", whyCrypto},
	{"sig_offload", "", "signatures made by mlx5 devices (T10-DIF) are not supported; --verify checks every byte"},
	{"hop_limit", "L", whyRaw},
	{"connectionless", "", "not supported: the sides agree on a plan and count lost messages over the control connection"},
	{"dualport", "O", "name both ports on both sides, -d NAME:1,NAME:2: each has a row, and both have a sum"},
	{"congest_type", "", "choosing the congestion control of hns devices is not supported"},
	{"dont_xchg_versions", "", "not needed: the sides exchange their releases with the plan"},
	{"force-link", "", "not supported: the link layer is that of the port; a QP for another could not be connected"},
	{"mmap", "", whyFile},
	{"mmap-offset", "", whyFile},
	{"report-per-port", "", "-d NAME:1,NAME:2 prints the rate of each port, and the sum"},
	{"cuda_mem_type", "", whyNVIDIA},
	{"use_cuda_pcie_mapping", "", whyNVIDIA},
	{"use_data_direct", "", whyNVIDIA},
	{"use_musa", "", whyMooreThread},
	{"use_musa_bus_id", "", whyMooreThread},
	{"use_musa_dmabuf", "", whyMooreThread},
	{"use_musa_pcie_mapping", "", whyMooreThread},
	{"use_neuron", "", whyNeuron},
	{"use_neuron_dmabuf", "", whyNeuron},
	{"use_hl", "", whyHabana},
	{"use_mlu", "", whyCambricon},
	{"use_mlu_dmabuf", "", whyCambricon},
	{"use_opencl", "", whyOpenCL},
	{"opencl_platform_id", "", whyOpenCL},
	{"use_ib_dm_dmabuf", "", "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: memory of RDMA devices is not supported"},
	{"gpu_touch", "", "memory comes from the host's RAM, or from NVIDIA and AMD GPUs: GPUs are not supported"},
	{"use-null-mr", "", "not supported: the arrival of data in a null memory region cannot be detected"},
	{"wait_destroy", "", "not supported: resources are destroyed as soon as both sides are done"},
	{"typical_pkt_size", "", whyRaw},
	{"rate_limit_type", "", "not supported: --rate_limit is in software on all devices"},
	{"use_ooo", "", "not supported; it needs a flag that only the verbs of MLNX_OFED have"},
	{"unsolicited_write", "", "not supported: a WRITE with immediate data takes a receive over SRD too"},
	{"source_mac", "B", whyRaw},
	{"dest_mac", "E", whyRaw},
	{"use_rss", "", whyRaw},
	{"dest_ip", "J", whyRaw},
	{"dest_port", "K", whyRaw},
	{"tcp", "", whyRaw},
	{"source_port", "k", whyRaw},
	{"ethertype", "", whyRaw},
	{"server", "Z", whyRaw},
	{"client", "P", whyRaw},
	{"vlan_en", "", whyRaw},
	{"vlan_pcp", "", whyRaw},
	{"mac_fwd", "v", whyRaw},
	{"flows", "", whyRaw},
	{"flows_burst", "", whyRaw},
	{"promiscuous", "", whyRaw},
	{"reply_every", "", whyRaw},
	{"sniffer", "", whyRaw},
	{"raw_ipv6", "", whyRaw},
	{"raw_mcast", "", whyRaw},
	{"remote_mac", "", whyRaw},
	{"local_mac", "", whyRaw},
	{"remote_ip", "", whyRaw},
	{"local_ip", "", whyRaw},
	{"remote_port", "", whyRaw},
	{"local_port", "", whyRaw},
}

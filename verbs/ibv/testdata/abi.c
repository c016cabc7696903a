/*
 * Compiles only where abi.h agrees with the headers of libibverbs, libmlx5, libefa and
 * librdmacm, member by member. HAS_x says that the headers have the newer member x.
 */
#include <stddef.h>

#include <infiniband/efadv.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "../abi.h"

#define SIZE _Static_assert(sizeof(ABI) == sizeof(REAL), "size");
#define SAME(ours, theirs) _Static_assert(offsetof(ABI, ours) == offsetof(REAL, theirs), #ours);

/* Operations in front of the context are counted from its beginning. */
#define BEFORE(distance, operation) \
	_Static_assert(offsetof(struct verbs_context, context) - offsetof(struct verbs_context, operation) == (distance), #operation);
BEFORE(ABI_CLOSE_XRCD, close_xrcd)
BEFORE(ABI_OPEN_XRCD, open_xrcd)
BEFORE(ABI_CREATE_SRQ_EX, create_srq_ex)
BEFORE(ABI_GET_SRQ_NUM, get_srq_num)
BEFORE(ABI_CREATE_QP_EX, create_qp_ex)
BEFORE(ABI_OPEN_QP, open_qp)
BEFORE(ABI_QUERY_DEVICE_EX, query_device_ex)
BEFORE(ABI_CREATE_CQ_EX, create_cq_ex)
BEFORE(ABI_MODIFY_CQ, modify_cq)
BEFORE(ABI_ALLOC_TD, alloc_td)
BEFORE(ABI_DEALLOC_TD, dealloc_td)
BEFORE(ABI_ALLOC_PARENT_DOMAIN, alloc_parent_domain)
BEFORE(ABI_ADVISE_MR, advise_mr)
BEFORE(ABI_QUERY_PORT, query_port)
BEFORE(sizeof(size_t), sz)

#define VALUE(name) _Static_assert((int)ABI_##name == (int)IBV_##name, #name);
VALUE(QP_INIT_ATTR_PD)
VALUE(QP_INIT_ATTR_XRCD)
VALUE(QP_INIT_ATTR_SEND_OPS_FLAGS)
VALUE(QP_OPEN_ATTR_NUM)
VALUE(QP_OPEN_ATTR_XRCD)
VALUE(QP_OPEN_ATTR_TYPE)
VALUE(XRCD_INIT_ATTR_FD)
VALUE(XRCD_INIT_ATTR_OFLAGS)
VALUE(SRQ_INIT_ATTR_TYPE)
VALUE(SRQ_INIT_ATTR_PD)
VALUE(SRQ_INIT_ATTR_XRCD)
VALUE(SRQ_INIT_ATTR_CQ)
VALUE(SRQT_XRC)
VALUE(WC_STANDARD_FLAGS)
VALUE(WC_EX_WITH_COMPLETION_TIMESTAMP)
VALUE(WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
VALUE(CQ_INIT_ATTR_MASK_FLAGS)
VALUE(CREATE_CQ_ATTR_SINGLE_THREADED)
VALUE(CQ_ATTR_MODERATE)
VALUE(ADVISE_MR_FLAG_FLUSH)
#undef VALUE
#define VALUE(name) _Static_assert((int)ABI_##name == (int)name, #name);
VALUE(MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS)
VALUE(MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE)
VALUE(EFADV_DEVICE_ATTR_CAPS_RDMA_READ)
#ifdef HAS_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE
VALUE(EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE)
#endif
VALUE(EFADV_QP_DRIVER_TYPE_SRD)

#ifdef HAS_ibv_dmah_init_attr
_Static_assert((int)ABI_REG_MR_MASK_IOVA == (int)IBV_REG_MR_MASK_IOVA, "iova");
_Static_assert((int)ABI_REG_MR_MASK_ADDR == (int)IBV_REG_MR_MASK_ADDR, "addr");
_Static_assert((int)ABI_REG_MR_MASK_DMAH == (int)IBV_REG_MR_MASK_DMAH, "dmah");

#define ABI struct abi_dmah
#define REAL struct ibv_dmah
SIZE
SAME(context, context)
#undef ABI
#undef REAL

#define ABI struct abi_dmah_init_attr
#define REAL struct ibv_dmah_init_attr
SIZE
SAME(comp_mask, comp_mask)
SAME(cpu_id, cpu_id)
SAME(ph, ph)
SAME(tph_mem_type, tph_mem_type)
#undef ABI
#undef REAL

#define ABI struct abi_mr_init_attr
#define REAL struct ibv_mr_init_attr
SAME(length, length)
SAME(access, access)
SAME(comp_mask, comp_mask)
SAME(iova, iova)
SAME(addr, addr)
SAME(fd, fd)
SAME(fd_offset, fd_offset)
SAME(dmah, dmah)
#undef ABI
#undef REAL
#endif

#define ABI struct abi_sge
#define REAL struct ibv_sge
SIZE
SAME(addr, addr)
SAME(length, length)
SAME(lkey, lkey)
#undef ABI
#undef REAL

#define ABI struct abi_send_wr
#define REAL struct ibv_send_wr
SIZE
SAME(wr_id, wr_id)
SAME(next, next)
SAME(sg_list, sg_list)
SAME(num_sge, num_sge)
SAME(opcode, opcode)
SAME(send_flags, send_flags)
SAME(imm_data, imm_data)
SAME(wr, wr)
SAME(qp_type, qp_type)
SAME(ext, bind_mw)
#undef ABI
#undef REAL

#define ABI struct abi_recv_wr
#define REAL struct ibv_recv_wr
SIZE
SAME(wr_id, wr_id)
SAME(next, next)
SAME(sg_list, sg_list)
SAME(num_sge, num_sge)
#undef ABI
#undef REAL

#define ABI struct abi_wc
#define REAL struct ibv_wc
SIZE
SAME(wr_id, wr_id)
SAME(status, status)
SAME(opcode, opcode)
SAME(vendor_err, vendor_err)
SAME(byte_len, byte_len)
SAME(imm_data, imm_data)
SAME(qp_num, qp_num)
SAME(src_qp, src_qp)
SAME(wc_flags, wc_flags)
SAME(pkey_index, pkey_index)
SAME(slid, slid)
SAME(sl, sl)
SAME(dlid_path_bits, dlid_path_bits)
#undef ABI
#undef REAL

#define ABI struct abi_device
#define REAL struct ibv_device
SAME(node_type, node_type)
SAME(transport_type, transport_type)
SAME(name, name)
SAME(dev_name, dev_name)
SAME(dev_path, dev_path)
SAME(ibdev_path, ibdev_path)
#undef ABI
#undef REAL

#define ABI struct abi_context_ops
#define REAL struct ibv_context_ops
SIZE
SAME(poll_cq, poll_cq)
SAME(req_notify_cq, req_notify_cq)
SAME(post_srq_recv, post_srq_recv)
SAME(post_send, post_send)
SAME(post_recv, post_recv)
#undef ABI
#undef REAL

#define ABI struct abi_context
#define REAL struct ibv_context
SIZE
SAME(device, device)
SAME(ops, ops)
SAME(cmd_fd, cmd_fd)
SAME(async_fd, async_fd)
SAME(num_comp_vectors, num_comp_vectors)
SAME(mutex, mutex)
SAME(abi_compat, abi_compat)
#undef ABI
#undef REAL

#define ABI struct abi_comp_channel
#define REAL struct ibv_comp_channel
SIZE
SAME(context, context)
SAME(fd, fd)
SAME(refcnt, refcnt)
#undef ABI
#undef REAL

#define ABI struct abi_cq
#define REAL struct ibv_cq
SAME(context, context)
SAME(channel, channel)
SAME(cq_context, cq_context)
SAME(handle, handle)
SAME(cqe, cqe)
#undef ABI
#undef REAL

#define ABI struct abi_cq_ex
#define REAL struct ibv_cq_ex
SIZE
_Static_assert(sizeof(struct abi_cq) == sizeof(struct ibv_cq), "struct ibv_cq");
SAME(comp_mask, comp_mask)
SAME(status, status)
SAME(wr_id, wr_id)
SAME(start_poll, start_poll)
SAME(next_poll, next_poll)
SAME(end_poll, end_poll)
SAME(read_opcode, read_opcode)
SAME(read_vendor_err, read_vendor_err)
SAME(read_byte_len, read_byte_len)
SAME(read_imm_data, read_imm_data)
SAME(read_qp_num, read_qp_num)
SAME(read_src_qp, read_src_qp)
SAME(read_wc_flags, read_wc_flags)
SAME(read_slid, read_slid)
SAME(read_sl, read_sl)
SAME(read_dlid_path_bits, read_dlid_path_bits)
SAME(read_completion_ts, read_completion_ts)
SAME(read_completion_wallclock_ns, read_completion_wallclock_ns)
#undef ABI
#undef REAL

#define ABI struct abi_poll_cq_attr
#define REAL struct ibv_poll_cq_attr
SIZE
#undef ABI
#undef REAL

#define ABI struct abi_cq_init_attr_ex
#define REAL struct ibv_cq_init_attr_ex
SAME(cqe, cqe)
SAME(cq_context, cq_context)
SAME(channel, channel)
SAME(comp_vector, comp_vector)
SAME(wc_flags, wc_flags)
SAME(comp_mask, comp_mask)
SAME(flags, flags)
#undef ABI
#undef REAL

#define ABI struct abi_modify_cq_attr
#define REAL struct ibv_modify_cq_attr
SIZE
SAME(attr_mask, attr_mask)
SAME(count, moderate.cq_count)
SAME(period_us, moderate.cq_period)
#undef ABI
#undef REAL

#define ABI struct abi_td
#define REAL struct ibv_td
SIZE
SAME(context, context)
#undef ABI
#undef REAL

#define ABI struct abi_td_init_attr
#define REAL struct ibv_td_init_attr
SIZE
#undef ABI
#undef REAL

#define ABI struct abi_parent_domain_init_attr
#define REAL struct ibv_parent_domain_init_attr
SIZE
SAME(pd, pd)
SAME(td, td)
SAME(comp_mask, comp_mask)
#undef ABI
#undef REAL

#define ABI struct abi_mr
#define REAL struct ibv_mr
SIZE
SAME(context, context)
SAME(pd, pd)
SAME(addr, addr)
SAME(length, length)
SAME(handle, handle)
SAME(lkey, lkey)
SAME(rkey, rkey)
#undef ABI
#undef REAL

#define ABI struct abi_context_ops
#define REAL struct ibv_context_ops
SIZE
SAME(alloc_mw, alloc_mw)
SAME(bind_mw, bind_mw)
SAME(dealloc_mw, dealloc_mw)
SAME(poll_cq, poll_cq)
SAME(req_notify_cq, req_notify_cq)
SAME(post_srq_recv, post_srq_recv)
SAME(post_send, post_send)
SAME(post_recv, post_recv)
#undef ABI
#undef REAL

#define ABI struct abi_mw
#define REAL struct ibv_mw
SIZE
SAME(context, context)
SAME(pd, pd)
SAME(rkey, rkey)
SAME(handle, handle)
SAME(type, type)
#undef ABI
#undef REAL

#define ABI struct abi_mw_bind_info
#define REAL struct ibv_mw_bind_info
SIZE
SAME(mr, mr)
SAME(addr, addr)
SAME(length, length)
SAME(access, mw_access_flags)
#undef ABI
#undef REAL

#define ABI struct abi_mw_bind
#define REAL struct ibv_mw_bind
SIZE
SAME(wr_id, wr_id)
SAME(send_flags, send_flags)
SAME(info, bind_info)
#undef ABI
#undef REAL

#define ABI struct abi_qp
#define REAL struct ibv_qp
SIZE
SAME(context, context)
SAME(qp_context, qp_context)
SAME(pd, pd)
SAME(send_cq, send_cq)
SAME(recv_cq, recv_cq)
SAME(srq, srq)
SAME(handle, handle)
SAME(qp_num, qp_num)
SAME(state, state)
SAME(qp_type, qp_type)
SAME(mutex, mutex)
SAME(cond, cond)
SAME(events_completed, events_completed)
#undef ABI
#undef REAL

#define ABI struct abi_qp_ex
#define REAL struct ibv_qp_ex
SAME(qp, qp_base)
SAME(comp_mask, comp_mask)
SAME(wr_id, wr_id)
SAME(wr_flags, wr_flags)
SAME(wr_atomic_cmp_swp, wr_atomic_cmp_swp)
SAME(wr_atomic_fetch_add, wr_atomic_fetch_add)
SAME(wr_bind_mw, wr_bind_mw)
SAME(wr_local_inv, wr_local_inv)
SAME(wr_rdma_read, wr_rdma_read)
SAME(wr_rdma_write, wr_rdma_write)
SAME(wr_rdma_write_imm, wr_rdma_write_imm)
SAME(wr_send, wr_send)
SAME(wr_send_imm, wr_send_imm)
SAME(wr_send_inv, wr_send_inv)
SAME(wr_send_tso, wr_send_tso)
SAME(wr_set_ud_addr, wr_set_ud_addr)
SAME(wr_set_xrc_srqn, wr_set_xrc_srqn)
SAME(wr_set_inline_data, wr_set_inline_data)
SAME(wr_set_inline_data_list, wr_set_inline_data_list)
SAME(wr_set_sge, wr_set_sge)
SAME(wr_set_sge_list, wr_set_sge_list)
SAME(wr_start, wr_start)
SAME(wr_complete, wr_complete)
SAME(wr_abort, wr_abort)
#undef ABI
#undef REAL

#define ABI struct abi_data_buf
#define REAL struct ibv_data_buf
SIZE
SAME(addr, addr)
SAME(length, length)
#undef ABI
#undef REAL

#define ABI struct abi_srq
#define REAL struct ibv_srq
SAME(context, context)
SAME(srq_context, srq_context)
SAME(pd, pd)
SAME(handle, handle)
#undef ABI
#undef REAL

#define ABI struct abi_xrcd
#define REAL struct ibv_xrcd
SIZE
SAME(context, context)
#undef ABI
#undef REAL

#define ABI struct abi_device_attr
#define REAL struct ibv_device_attr
SIZE
SAME(fw_ver, fw_ver)
SAME(node_guid, node_guid)
SAME(sys_image_guid, sys_image_guid)
SAME(max_mr_size, max_mr_size)
SAME(page_size_cap, page_size_cap)
SAME(vendor_id, vendor_id)
SAME(vendor_part_id, vendor_part_id)
SAME(hw_ver, hw_ver)
SAME(max_qp, max_qp)
SAME(max_qp_wr, max_qp_wr)
SAME(device_cap_flags, device_cap_flags)
SAME(max_sge, max_sge)
SAME(max_sge_rd, max_sge_rd)
SAME(max_cq, max_cq)
SAME(max_cqe, max_cqe)
SAME(max_mr, max_mr)
SAME(max_pd, max_pd)
SAME(max_qp_rd_atom, max_qp_rd_atom)
SAME(max_ee_rd_atom, max_ee_rd_atom)
SAME(max_res_rd_atom, max_res_rd_atom)
SAME(max_qp_init_rd_atom, max_qp_init_rd_atom)
SAME(max_ee_init_rd_atom, max_ee_init_rd_atom)
SAME(atomic_cap, atomic_cap)
SAME(max_ee, max_ee)
SAME(max_rdd, max_rdd)
SAME(max_mw, max_mw)
SAME(max_raw_ipv6_qp, max_raw_ipv6_qp)
SAME(max_raw_ethy_qp, max_raw_ethy_qp)
SAME(max_mcast_grp, max_mcast_grp)
SAME(max_mcast_qp_attach, max_mcast_qp_attach)
SAME(max_total_mcast_qp_attach, max_total_mcast_qp_attach)
SAME(max_ah, max_ah)
SAME(max_fmr, max_fmr)
SAME(max_map_per_fmr, max_map_per_fmr)
SAME(max_srq, max_srq)
SAME(max_srq_wr, max_srq_wr)
SAME(max_srq_sge, max_srq_sge)
SAME(max_pkeys, max_pkeys)
SAME(local_ca_ack_delay, local_ca_ack_delay)
SAME(phys_port_cnt, phys_port_cnt)
#undef ABI
#undef REAL

#define ABI struct abi_odp_caps
#define REAL struct ibv_odp_caps
SIZE
SAME(general_caps, general_caps)
SAME(rc_odp_caps, per_transport_caps.rc_odp_caps)
SAME(uc_odp_caps, per_transport_caps.uc_odp_caps)
SAME(ud_odp_caps, per_transport_caps.ud_odp_caps)
#undef ABI
#undef REAL

#define ABI struct abi_device_attr_ex
#define REAL struct ibv_device_attr_ex
SIZE
SAME(orig_attr, orig_attr)
SAME(comp_mask, comp_mask)
SAME(odp_caps, odp_caps)
SAME(completion_timestamp_mask, completion_timestamp_mask)
SAME(hca_core_clock, hca_core_clock)
SAME(device_cap_flags_ex, device_cap_flags_ex)
SAME(tso_caps, tso_caps)
SAME(rss_caps, rss_caps)
SAME(max_wq_type_rq, max_wq_type_rq)
SAME(packet_pacing_caps, packet_pacing_caps)
SAME(raw_packet_caps, raw_packet_caps)
SAME(tm_caps, tm_caps)
SAME(cq_mod_caps, cq_mod_caps)
SAME(max_dm_size, max_dm_size)
SAME(pci_atomic_caps, pci_atomic_caps)
SAME(xrc_odp_caps, xrc_odp_caps)
#ifdef HAS_phys_port_cnt_ex
SAME(phys_port_cnt_ex, phys_port_cnt_ex)
#endif
#undef ABI
#undef REAL

#define ABI struct abi_port_attr
#define REAL struct ibv_port_attr
#ifdef HAS_active_speed_ex
SIZE
SAME(active_speed_ex, active_speed_ex)
#else
_Static_assert(offsetof(ABI, active_speed_ex) == sizeof(REAL), "what is newer is behind the rest");
#endif
SAME(state, state)
SAME(max_mtu, max_mtu)
SAME(active_mtu, active_mtu)
SAME(gid_tbl_len, gid_tbl_len)
SAME(port_cap_flags, port_cap_flags)
SAME(max_msg_sz, max_msg_sz)
SAME(bad_pkey_cntr, bad_pkey_cntr)
SAME(qkey_viol_cntr, qkey_viol_cntr)
SAME(pkey_tbl_len, pkey_tbl_len)
SAME(lid, lid)
SAME(sm_lid, sm_lid)
SAME(lmc, lmc)
SAME(max_vl_num, max_vl_num)
SAME(sm_sl, sm_sl)
SAME(subnet_timeout, subnet_timeout)
SAME(init_type_reply, init_type_reply)
SAME(active_width, active_width)
SAME(active_speed, active_speed)
SAME(phys_state, phys_state)
SAME(link_layer, link_layer)
SAME(flags, flags)
SAME(port_cap_flags2, port_cap_flags2)
#undef ABI
#undef REAL

#define ABI struct abi_gid_entry
#define REAL struct ibv_gid_entry
SIZE
SAME(gid, gid)
SAME(gid_index, gid_index)
SAME(port_num, port_num)
SAME(gid_type, gid_type)
SAME(ndev_ifindex, ndev_ifindex)
#undef ABI
#undef REAL

#define ABI struct abi_qp_cap
#define REAL struct ibv_qp_cap
SIZE
SAME(max_send_wr, max_send_wr)
SAME(max_recv_wr, max_recv_wr)
SAME(max_send_sge, max_send_sge)
SAME(max_recv_sge, max_recv_sge)
SAME(max_inline_data, max_inline_data)
#undef ABI
#undef REAL

#define ABI struct abi_qp_init_attr
#define REAL struct ibv_qp_init_attr
SIZE
SAME(qp_context, qp_context)
SAME(send_cq, send_cq)
SAME(recv_cq, recv_cq)
SAME(srq, srq)
SAME(cap, cap)
SAME(qp_type, qp_type)
SAME(sq_sig_all, sq_sig_all)
#undef ABI
#undef REAL

#define ABI struct abi_qp_init_attr_ex
#define REAL struct ibv_qp_init_attr_ex
SIZE
SAME(qp_context, qp_context)
SAME(send_cq, send_cq)
SAME(recv_cq, recv_cq)
SAME(srq, srq)
SAME(cap, cap)
SAME(qp_type, qp_type)
SAME(sq_sig_all, sq_sig_all)
SAME(comp_mask, comp_mask)
SAME(pd, pd)
SAME(xrcd, xrcd)
SAME(unused, create_flags)
SAME(send_ops_flags, send_ops_flags)
SIZE
#undef ABI
#undef REAL

#define ABI struct abi_qp_open_attr
#define REAL struct ibv_qp_open_attr
SIZE
SAME(comp_mask, comp_mask)
SAME(qp_num, qp_num)
SAME(xrcd, xrcd)
SAME(qp_context, qp_context)
SAME(qp_type, qp_type)
#undef ABI
#undef REAL

#define ABI struct abi_xrcd_init_attr
#define REAL struct ibv_xrcd_init_attr
SIZE
SAME(comp_mask, comp_mask)
SAME(fd, fd)
SAME(oflags, oflags)
#undef ABI
#undef REAL

#define ABI struct abi_srq_attr
#define REAL struct ibv_srq_attr
SIZE
SAME(max_wr, max_wr)
SAME(max_sge, max_sge)
SAME(srq_limit, srq_limit)
#undef ABI
#undef REAL

#define ABI struct abi_srq_init_attr
#define REAL struct ibv_srq_init_attr
SIZE
SAME(srq_context, srq_context)
SAME(attr, attr)
#undef ABI
#undef REAL

#define ABI struct abi_srq_init_attr_ex
#define REAL struct ibv_srq_init_attr_ex
SIZE
SAME(srq_context, srq_context)
SAME(attr, attr)
SAME(comp_mask, comp_mask)
SAME(srq_type, srq_type)
SAME(pd, pd)
SAME(xrcd, xrcd)
SAME(cq, cq)
SAME(tm_cap, tm_cap)
#undef ABI
#undef REAL

#define ABI struct abi_grh
#define REAL struct ibv_grh
SIZE
#undef ABI
#undef REAL

#define ABI struct abi_global_route
#define REAL struct ibv_global_route
SIZE
SAME(dgid, dgid)
SAME(flow_label, flow_label)
SAME(sgid_index, sgid_index)
SAME(hop_limit, hop_limit)
SAME(traffic_class, traffic_class)
#undef ABI
#undef REAL

#define ABI struct abi_ah_attr
#define REAL struct ibv_ah_attr
SIZE
SAME(grh, grh)
SAME(dlid, dlid)
SAME(sl, sl)
SAME(src_path_bits, src_path_bits)
SAME(static_rate, static_rate)
SAME(is_global, is_global)
SAME(port_num, port_num)
#undef ABI
#undef REAL

#define ABI struct abi_qp_attr
#define REAL struct ibv_qp_attr
SIZE
SAME(qp_state, qp_state)
SAME(cur_qp_state, cur_qp_state)
SAME(path_mtu, path_mtu)
SAME(path_mig_state, path_mig_state)
SAME(qkey, qkey)
SAME(rq_psn, rq_psn)
SAME(sq_psn, sq_psn)
SAME(dest_qp_num, dest_qp_num)
SAME(qp_access_flags, qp_access_flags)
SAME(cap, cap)
SAME(ah_attr, ah_attr)
SAME(alt_ah_attr, alt_ah_attr)
SAME(pkey_index, pkey_index)
SAME(alt_pkey_index, alt_pkey_index)
SAME(en_sqd_async_notify, en_sqd_async_notify)
SAME(sq_draining, sq_draining)
SAME(max_rd_atomic, max_rd_atomic)
SAME(max_dest_rd_atomic, max_dest_rd_atomic)
SAME(min_rnr_timer, min_rnr_timer)
SAME(port_num, port_num)
SAME(timeout, timeout)
SAME(retry_cnt, retry_cnt)
SAME(rnr_retry, rnr_retry)
SAME(alt_port_num, alt_port_num)
SAME(alt_timeout, alt_timeout)
SAME(rate_limit, rate_limit)
#undef ABI
#undef REAL

#define ABI struct abi_async_event
#define REAL struct ibv_async_event
SIZE
SAME(element, element)
SAME(event_type, event_type)
#undef ABI
#undef REAL

#define ABI struct abi_event_channel
#define REAL struct rdma_event_channel
SIZE
SAME(fd, fd)
#undef ABI
#undef REAL

#define ABI struct abi_cm_id
#define REAL struct rdma_cm_id
SAME(verbs, verbs)
SAME(channel, channel)
SAME(context, context)
SAME(qp, qp)
SAME(route, route)
SAME(ps, ps)
SAME(port_num, port_num)
#undef ABI
#undef REAL

#define ABI struct abi_conn_param
#define REAL struct rdma_conn_param
SIZE
SAME(private_data, private_data)
SAME(private_data_len, private_data_len)
SAME(responder_resources, responder_resources)
SAME(initiator_depth, initiator_depth)
SAME(flow_control, flow_control)
SAME(retry_count, retry_count)
SAME(rnr_retry_count, rnr_retry_count)
SAME(srq, srq)
SAME(qp_num, qp_num)
#undef ABI
#undef REAL

#define ABI struct abi_ud_param
#define REAL struct rdma_ud_param
SIZE
SAME(private_data, private_data)
SAME(private_data_len, private_data_len)
SAME(ah_attr, ah_attr)
SAME(qp_num, qp_num)
SAME(qkey, qkey)
#undef ABI
#undef REAL

#define ABI struct abi_cm_event
#define REAL struct rdma_cm_event
SAME(id, id)
SAME(listen_id, listen_id)
SAME(event, event)
SAME(status, status)
SAME(param.conn, param.conn)
SAME(param.ud, param.ud)
#undef ABI
#undef REAL

#define ABI struct abi_tso_caps
#define REAL struct ibv_tso_caps
SIZE
SAME(max_tso, max_tso)
SAME(supported_qpts, supported_qpts)
#undef ABI
#undef REAL

#define ABI struct abi_rss_caps
#define REAL struct ibv_rss_caps
SIZE
SAME(supported_qpts, supported_qpts)
SAME(max_rwq_indirection_tables, max_rwq_indirection_tables)
SAME(max_rwq_indirection_table_size, max_rwq_indirection_table_size)
SAME(rx_hash_fields_mask, rx_hash_fields_mask)
SAME(rx_hash_function, rx_hash_function)
#undef ABI
#undef REAL

#define ABI struct abi_packet_pacing_caps
#define REAL struct ibv_packet_pacing_caps
SIZE
SAME(qp_rate_limit_min, qp_rate_limit_min)
SAME(qp_rate_limit_max, qp_rate_limit_max)
SAME(supported_qpts, supported_qpts)
#undef ABI
#undef REAL

#define ABI struct abi_tm_caps
#define REAL struct ibv_tm_caps
SIZE
SAME(max_rndv_hdr_size, max_rndv_hdr_size)
SAME(max_num_tags, max_num_tags)
SAME(flags, flags)
SAME(max_ops, max_ops)
SAME(max_sge, max_sge)
#undef ABI
#undef REAL

#define ABI struct abi_cq_moderation_caps
#define REAL struct ibv_cq_moderation_caps
SIZE
SAME(max_cq_count, max_cq_count)
SAME(max_cq_period, max_cq_period)
#undef ABI
#undef REAL

#define ABI struct abi_pci_atomic_caps
#define REAL struct ibv_pci_atomic_caps
SIZE
SAME(fetch_add, fetch_add)
SAME(swap, swap)
SAME(compare_swap, compare_swap)
#undef ABI
#undef REAL

#define ABI struct abi_mlx5dv_qp_init_attr
#define REAL struct mlx5dv_qp_init_attr
SIZE
SAME(comp_mask, comp_mask)
SAME(create_flags, create_flags)
#undef ABI
#undef REAL

#define ABI struct abi_mlx5dv_context
#define REAL struct mlx5dv_context
SAME(comp_mask, comp_mask)
#ifdef HAS_ooo_recv_wrs_caps
SIZE
SAME(ooo_recv_wrs_caps, ooo_recv_wrs_caps)
SAME(ooo_recv_wrs_caps.max_rc, ooo_recv_wrs_caps.max_rc)
_Static_assert(ABI_MLX5DV_CONTEXT_MASK_OOO_RECV_WRS == MLX5DV_CONTEXT_MASK_OOO_RECV_WRS, "mask");
_Static_assert(ABI_MLX5DV_QP_CREATE_OOO_DP == MLX5DV_QP_CREATE_OOO_DP, "flag");
#endif
#undef ABI
#undef REAL

#define ABI struct abi_efadv_device_attr
#define REAL struct efadv_device_attr
SIZE
SAME(comp_mask, comp_mask)
SAME(max_sq_wr, max_sq_wr)
SAME(max_rq_wr, max_rq_wr)
SAME(max_sq_sge, max_sq_sge)
SAME(max_rq_sge, max_rq_sge)
SAME(inline_buf_size, inline_buf_size)
SAME(device_caps, device_caps)
SAME(max_rdma_size, max_rdma_size)
#undef ABI
#undef REAL

#define ABI struct abi_efadv_qp_init_attr
#define REAL struct efadv_qp_init_attr
_Static_assert(sizeof(ABI) <= sizeof(REAL), "what is newer is behind the rest");
SAME(comp_mask, comp_mask)
SAME(driver_qp_type, driver_qp_type)
#undef ABI
#undef REAL

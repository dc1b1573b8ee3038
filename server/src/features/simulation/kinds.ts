import { closest, distance } from 'fastest-levenshtein';

/** What faults may strike in a simulated region: work of these types takes its time there and may fail. The list is
 *  in docs/operations.md too. */
export const FAULT_KINDS: readonly string[] = `
  create_loadbalancer update_loadbalancer resize_loadbalancer failover_loadbalancer delete_loadbalancer
  create_lblistener patch_lblistener delete_lblistener create_lbpool patch_lbpool delete_lbpool
  create_lbmember patch_lbmember delete_lbmember put_lbmembers
  create_lbpool_health_monitor patch_lbpool_health_monitor delete_lbpool_health_monitor
  create_l7policy patch_l7policy delete_l7policy create_l7rule put_l7rule delete_l7rule
  create_fip update_fip delete_fip create_reserved_fixed_ip delete_reserved_fixed_ip update_port
  convert_fip convert_reserved_fixed_ip
  create_network update_network delete_network create_subnet delete_subnet
  create_router update_router delete_router
  create_volume delete_volume attach_volume detach_volume extend_volume retype_volume revert_volume
  create_snapshot delete_snapshot create_image download_image delete_image
  create_vm delete_vm start_vm stop_vm suspend_vm resume_vm soft_reboot_vm hard_reboot_vm resize_vm
  attach_vm_interface detach_vm_interface put_into_servergroup remove_from_servergroup
  create_security_group update_security_group delete_security_group
  create_security_group_rule delete_security_group_rule
  create_k8s_cluster_v2 update_k8s_cluster_v2 upgrade_k8s_cluster delete_k8s_cluster_v2
  create_dbaas_postgres_cluster update_dbaas_postgres_cluster regenerate_dbaas_postgres_credentials delete_dbaas_postgres_cluster
  create_object_storage restore_object_storage delete_object_storage
  create_storage_access_key delete_storage_access_key
  create_storage_bucket update_storage_bucket delete_storage_bucket
  create_sftp_storage update_sftp_storage delete_sftp_storage
`
  .trim()
  .split(/\s+/);

/** Single nodes of clusters, which are no tasks of their own. */
export const NODE_KINDS = ['create_k8s_node', 'delete_k8s_node'] as const;

/** Nodes that were ready: a share of them, decided by the seed, fails some time later. */
export const CONDITION_KINDS = ['k8s_node_gone', 'k8s_node_not_ready'] as const;

const MAX_TYPOS = 5;

/** What is wrong with a kind, or undefined. */
export function kindFault(kind: string, kinds: readonly string[]): string | undefined {
  if (kinds.includes(kind)) return undefined;
  const near = closest(kind, [...kinds]);
  const hint =
    distance(kind, near) <= MAX_TYPOS ? `; did you mean ${near}?` : ': see the list in the documents';
  return `${kind} is no kind of work that can fail${hint}`;
}

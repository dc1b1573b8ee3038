export { ExternalAddresses } from './addresses/external.ts';
export { type MemberNetworks, memberNetworks, type OwnPort } from './addresses/member-networks.ts';
export { LocalAddresses } from './addresses/provider.ts';
export { localCapacity } from './capacity.ts';
export { LOCAL_CONTENTS } from './contents.ts';
export type { EngineHost } from './host/engine.ts';
export { engineRoot } from './host/engine-root.ts';
export { OwnerFence } from './host/owner-fence.ts';
export { inPart, type Sink } from './host/sink.ts';
export {
  backUpCluster as backUpKubernetesCluster,
  settleCluster as settleKubernetesCluster,
} from './kubernetes/cluster-backup.ts';
export { createLocalKubernetes, type LocalKubernetes } from './kubernetes/provider.ts';
export type { KubernetesPrograms } from './kubernetes/server.ts';
export { type LogCollector, parseLogCollector } from './load-balancers/access-logs/collector.ts';
export {
  type CloseMode,
  createLocalLoadBalancers,
  type LocalLoadBalancers,
  type LocalLoadBalancersOptions,
} from './load-balancers/provider.ts';
export { localNetworks } from './networks.ts';
export { createLocalObjectStorage, type LocalObjectStorage } from './object-storage/provider.ts';
export { createOwnedDataPlane } from './owned-data-plane.ts';
export { backUpCluster as backUpPostgresqlCluster } from './postgresql/cluster-backup.ts';
export { copyRunning, copyStopped } from './postgresql/online-copy.ts';
export {
  createLocalPostgresql,
  type LocalPostgresql,
  type PostgresqlPrograms,
} from './postgresql/provider.ts';
export { backUpRegion, type EngineBackups, folderOfPart, settleRegion } from './region-backup.ts';
export { createLocalSftpStorage, type LocalSftpStorage } from './sftp-storage/provider.ts';

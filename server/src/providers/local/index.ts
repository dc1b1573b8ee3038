export { ExternalAddresses } from './addresses/external.ts';
export { type MemberNetworks, memberNetworks, type OwnPort } from './addresses/member-networks.ts';
export { LocalAddresses } from './addresses/provider.ts';
export { localCapacity } from './capacity.ts';
export { LOCAL_CONTENTS } from './contents.ts';
export type { EngineHost } from './host/engine.ts';
export { engineRoot } from './host/engine-root.ts';
export { OwnerFence } from './host/owner-fence.ts';
export { inPart, type Sink } from './host/sink.ts';
export { folderOfPart, type Keepers, keepRegion, settleRegion } from './kept-data.ts';
export {
  keepCluster as keepKubernetesCluster,
  settleCluster as settleKubernetesCluster,
} from './kubernetes/kept-data.ts';
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
export { keepCluster as keepPostgresqlCluster } from './postgresql/kept-data.ts';
export { copyRunning, copyStopped } from './postgresql/online-copy.ts';
export {
  createLocalPostgresql,
  type LocalPostgresql,
  type PostgresqlPrograms,
} from './postgresql/provider.ts';
export { createLocalSftpStorage, type LocalSftpStorage } from './sftp-storage/provider.ts';

import { floatingIps } from './floating-ips.ts';
import { instances } from './instances.ts';
import { kubernetes } from './kubernetes.ts';
import { l7Policies } from './l7-policies.ts';
import { loadBalancerParts } from './load-balancer-parts.ts';
import { loadBalancers } from './load-balancers.ts';
import { managedPostgresql } from './managed-postgresql.ts';
import { networks } from './networks.ts';
import { objectStorage } from './object-storage.ts';
import { ports } from './ports.ts';
import { projects } from './projects.ts';
import { reservedFixedIps } from './reserved-fixed-ips.ts';
import { routers } from './routers.ts';
import type { Scenario } from './scenario.ts';
import { secrets } from './secrets.ts';
import { securityGroups, serverGroups } from './security-groups.ts';
import { sftpStorages } from './sftp-storages.ts';
import { images, snapshots, volumes } from './volumes.ts';

/** One scenario for each task type. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ...projects,
  ...loadBalancers,
  ...loadBalancerParts,
  ...l7Policies,
  ...kubernetes,
  ...managedPostgresql,
  ...objectStorage,
  ...sftpStorages,
  ...floatingIps,
  ...networks,
  ...ports,
  ...routers,
  ...reservedFixedIps,
  ...secrets,
  ...securityGroups,
  ...serverGroups,
  ...volumes,
  ...instances,
  ...images,
  ...snapshots,
};

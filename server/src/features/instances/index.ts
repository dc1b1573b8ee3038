import { sql } from '../../platform/database/sql.ts';
import type { DriftOptions } from '../../platform/drift/reconciler.ts';
import type { Feature } from '../../platform/feature.ts';
import type { TaskReads } from '../tasks/index.ts';
import type { InstanceDeps } from './access.ts';
import { InstanceActions } from './actions.ts';
import { instancesInNeed } from './attention.ts';
import { deprecatedInstanceRoutes } from './deprecated-routes.ts';
import { instanceExamples } from './examples.ts';
import { resealFirstBoots } from './first-boot.ts';
import { interfaceRoutes } from './interfaces/routes.ts';
import { InterfaceService } from './interfaces/service.ts';
import { interfaceTasks } from './interfaces/tasks.ts';
import { mapOfInstances } from './map.ts';
import { instanceMetricsRoutes } from './metrics/routes.ts';
import { instanceRoutes } from './routes.ts';
import { instanceActionRoutes } from './routes-actions.ts';
import { instanceGroupRoutes } from './security-groups/routes.ts';
import { serverGroupMemberRoutes } from './server-groups/routes.ts';
import { serverGroupTasks } from './server-groups/tasks.ts';
import { InstanceService } from './service.ts';
import { sizingRoutes } from './sizing/routes.ts';
import { changeVmTasks } from './tasks/change.ts';
import { createVmTask } from './tasks/create.ts';
import { deleteVmTask } from './tasks/delete.ts';
import { instanceWatch } from './watch.ts';

export type { InstanceDeps } from './access.ts';
export { portsAsInterfaces } from './interfaces/of-ports.ts';
export type { ShownInstance } from './list-store.ts';
export { deleteNodes, insertNode, markNodes, readClusterNodes } from './node-store.ts';
export { instancesOfGroup } from './of-group.ts';
export { Instance, InstanceList } from './schema.ts';
export { InstanceDdosProfile } from './schema-ddos.ts';
export { requireInstances } from './store.ts';
export { instanceSummaries } from './summary.ts';
export { viewInstance } from './view.ts';

/** What was in the middle of something is in ERROR; a restart repairs it. */
const WITHOUT_TASK = `task_state = null,
  vm_state = case when status in ('ACTIVE', 'SHUTOFF', 'SUSPENDED') then vm_state else 'error' end,
  status = case when status in ('ACTIVE', 'SHUTOFF', 'SUSPENDED') then status else 'ERROR' end`;

export function instances(deps: InstanceDeps & DriftOptions & { readonly tasks: TaskReads }): Feature {
  const service = new InstanceService(deps);
  const actions = new InstanceActions(deps);
  return {
    name: 'instances',
    areas: { Instances: 'Virtual machines, nodes of clusters among them.' },
    nouns: { available_flavors: 'AvailableFlavor', instances: 'Instance', interfaces: 'Interface' },
    examples: instanceExamples,
    needs: 'instances',
    attention: instancesInNeed,
    mapped: mapOfInstances,
    searched: [
      {
        kind: 'instance',
        table: 'instances',
        status: 's.status',
        tags: true,
        addresses: (
          begin,
        ) => sql`${begin.inText('s.private_ip')} or ${begin.inText('s.public_ip')} or s.id = any(array(
          select p.device_id from ports p where p.id in (${begin.owners})
          union select p.device_id from floating_ips f join ports p on p.id = f.port_id where f.id in (${begin.owners})))`,
      },
    ],
    routes: [
      ...instanceRoutes(service),
      ...instanceActionRoutes(actions),
      ...deprecatedInstanceRoutes({ service, actions, tasks: deps.tasks }),
      ...interfaceRoutes(new InterfaceService(deps)),
      ...instanceGroupRoutes,
      ...serverGroupMemberRoutes(deps),
      ...sizingRoutes(deps),
      ...instanceMetricsRoutes(deps),
    ],
    tasks: [
      createVmTask(deps),
      deleteVmTask(deps),
      ...changeVmTasks(deps),
      ...interfaceTasks(deps),
      ...serverGroupTasks(deps),
    ],
    background: [instanceWatch(deps)],
    held: [{ table: 'instances', becomes: WITHOUT_TASK }],
    reseal: resealFirstBoots,
  };
}

import { type DriftOptions, DriftReconciler, type Entry } from '../../platform/drift/reconciler.ts';
import type { Feature } from '../../platform/feature.ts';
import { SecurityGroupChanges } from './changes.ts';
import type { SecurityGroupDeps } from './common.ts';
import { deprecatedSecurityGroupRoutes } from './deprecated-routes.ts';
import { securityGroupExamples } from './examples.ts';
import type { GroupRow } from './model.ts';
import type { DesiredSecurityGroup, SecurityGroupProvider } from './port.ts';
import { securityGroupChangeRoutes, securityGroupRoutes } from './routes.ts';
import { SecurityGroupService } from './service.ts';
import { readGroups, readGroupsIn } from './store.ts';
import { securityGroupTasks } from './tasks.ts';

export { addDefaultGroups, completeDefaultGroups } from './defaults.ts';
export {
  defaultSecurityGroup,
  findSecurityGroups,
  findSecurityGroupsNamed,
  namesOfSecurityGroups,
} from './members.ts';
export type { SecurityGroupProvider } from './port.ts';

const RECONCILE_EVERY_MS = 15_000;

const entryOf = (row: GroupRow): Entry<DesiredSecurityGroup> => ({
  id: row.id,
  projectId: row.project_id,
  regionId: row.region_id,
  isHeld: row.task_id !== null,
  desired: { id: row.id, rules: row.rules },
});

export function securityGroups(deps: SecurityGroupDeps & DriftOptions): Feature {
  const reconciler = new DriftReconciler<SecurityGroupProvider, DesiredSecurityGroup, 'security_group'>(
    deps,
    {
      noun: 'security groups',
      providerOf: deps.providerOf,
      readAll: async (db, regionId) => (await readGroupsIn(db, regionId)).map(entryOf),
      readNow: async (db, { id }) => (await readGroups(db, [id])).map(entryOf)[0],
      apply: (provider, desired, operation) => provider.applySecurityGroup(desired, operation),
      remove: (provider, { id }, operation) => provider.removeSecurityGroup(id, operation),
    },
  );
  const service = new SecurityGroupService(deps);
  const changes = new SecurityGroupChanges(deps);
  return {
    name: 'security-groups',
    areas: { 'Security groups': 'Which traffic reaches instances and leaves them.' },
    nouns: {
      security_groups: 'SecurityGroup',
      securitygrouprules: 'SecurityGroupRule',
      securitygroups: 'SecurityGroup',
    },
    examples: securityGroupExamples,
    needs: 'securityGroups',
    searched: [{ kind: 'security_group', table: 'security_groups', tags: true }],
    routes: [
      ...securityGroupRoutes(service, deps.instances),
      ...securityGroupChangeRoutes(changes, service),
      ...deprecatedSecurityGroupRoutes({ service, changes, tasks: deps.tasks }),
    ],
    tasks: securityGroupTasks(deps),
    background: [
      {
        name: 'security-groups-reconcile',
        everyMs: RECONCILE_EVERY_MS,
        exclusive: false,
        run: reconciler.run,
      },
    ],
    held: [{ table: 'security_groups', becomes: 'deleting = false' }],
  };
}

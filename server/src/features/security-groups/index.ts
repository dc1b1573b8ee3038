import type { Feature } from '../../platform/feature.ts';
import { SecurityGroupChanges } from './changes.ts';
import type { SecurityGroupDeps } from './common.ts';
import { deprecatedSecurityGroupRoutes } from './deprecated-routes.ts';
import { securityGroupExamples } from './examples.ts';
import { GroupReconciler, type GroupReconcilerOptions } from './reconciler.ts';
import { securityGroupChangeRoutes, securityGroupRoutes } from './routes.ts';
import { SecurityGroupService } from './service.ts';
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

export function securityGroups(deps: SecurityGroupDeps & GroupReconcilerOptions): Feature {
  const reconciler = new GroupReconciler(deps);
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
        run: () => reconciler.run(),
      },
    ],
    held: [{ table: 'security_groups', becomes: 'deleting = false' }],
  };
}

import type { Feature } from '../../platform/feature.ts';
import { serverGroupExamples } from './examples.ts';
import { serverGroupRoutes } from './routes.ts';
import { type ServerGroupDeps, ServerGroupService } from './service.ts';
import { deleteServerGroupTask } from './tasks.ts';

export {
  type GroupOfInstance,
  joinServerGroup,
  leaveServerGroup,
  readServerGroupOf,
} from './members.ts';

export function serverGroups(deps: ServerGroupDeps): Feature {
  return {
    name: 'server-groups',
    areas: { 'Server groups': 'Which instances belong on one host, and which apart.' },
    nouns: { servergroups: 'ServerGroup' },
    examples: serverGroupExamples,
    needs: 'kvm',
    searched: [{ kind: 'server_group', table: 'server_groups' }],
    routes: serverGroupRoutes(new ServerGroupService(deps)),
    tasks: [deleteServerGroupTask],
  };
}

import type { Feature } from '../../platform/feature.ts';
import { instanceRoutes } from './routes.ts';

export { machinesInShort } from './in-short.ts';
export { Instance, InstanceList } from './schema.ts';
export {
  deleteInstances,
  type InstanceRow,
  insertInstance,
  markInstances,
  readClusterInstances,
} from './store.ts';
export { viewInstance } from './view.ts';

export function instances(): Feature {
  return { name: 'instances', routes: instanceRoutes };
}

import { pino } from 'pino';
import type { DesiredLoadBalancer } from '../../server/src/features/load-balancers/port.ts';
import { TaskFailed } from '../../server/src/kernel/errors.ts';
import type { Operation, Progress } from '../../server/src/kernel/operation.ts';
import {
  createOpenStack,
  type EngineObject,
  type EngineObjects,
  Session,
} from '../../server/src/providers/openstack/index.ts';
import { desiredLoadBalancer } from '../../server/src/providers/openstack/testing/desired.ts';
import { EXAMPLE } from '../../server/src/providers/openstack/testing/settings.ts';
import { waitUntil } from '../harness/wait.ts';
import { access } from './calls.ts';

const desired = desiredLoadBalancer();
const { id } = desired;

/** In memory, which the test may lose. */
function kept(): EngineObjects & { readonly map: Map<string, EngineObject> } {
  const map = new Map<string, EngineObject>();
  return {
    map,
    find: async (_kind, each) => map.get(each),
    all: async () => new Map(map),
    save: async (_kind, each, object) => void map.set(each, object),
    saveCounters: async () => {},
    forget: async (each) => void map.delete(each),
  };
}

interface Cloud {
  readonly secret?: string;
  readonly fetch?: typeof fetch;
  /** Whether certificates are given to the key manager. */
  readonly hasKeyManager?: boolean;
}

/** The provider of load balancers alone, with this cloud behind it. */
export function provider({ secret, fetch: requested = fetch, hasKeyManager = false }: Cloud = {}) {
  let late = 0;
  const objects = kept();
  const now = () => Date.now() + late;
  const { credential, auth_url, region_name, vip, external } = access ?? { credential: EXAMPLE.credential };
  const load_balancers = { key_manager: hasKeyManager };
  const settings = Object.assign({}, EXAMPLE, { auth_url, region_name, vip, external, load_balancers });
  const its = { id: credential.id, secret: secret ?? Reflect.get(credential, 'secret') };
  const session = new Session({ settings, credential: () => its, now, fetch: requested });
  const { loadBalancers } = createOpenStack({
    settings,
    session,
    objects,
    now,
    log: pino({ level: 'silent' }),
    mayLook: async () => true,
    publicImages: async () => new Map(),
  });
  const operation = (): Operation => ({
    key: 'task',
    type: 'create_loadbalancer',
    name: 'web',
    acceptedAt: new Date(now()),
  });
  return {
    objects,
    loadBalancers,
    apply: (goal: DesiredLoadBalancer = desired): Promise<Progress> => loadBalancers.apply(goal, operation()),
    remove: (): Promise<Progress> => loadBalancers.remove(id, operation()),
    /** Applies until it is ready. @returns the steps that it named
     *  @throws TaskFailed as a task would end with it */
    async converge(goal: DesiredLoadBalancer = desired): Promise<readonly string[]> {
      const steps: string[] = [];
      const applied = () =>
        loadBalancers.apply(goal, operation()).catch((error: unknown) => {
          if (error instanceof TaskFailed) return error;
          throw error;
        });
      const ended = await waitUntil(
        async () => {
          const progress = await applied();
          if (progress instanceof TaskFailed || progress.ready) return progress;
          steps.push(progress.step ?? '');
          return undefined;
        },
        { what: () => `the load balancer: ${steps.slice(-3).join('; ')}`, intervalMs: 100 },
      );
      if (ended instanceof TaskFailed) throw ended;
      return steps;
    },
    /** The next look comes now, and what it finds is worked on until `isDone`. */
    async look(isDone: () => Promise<boolean>, goal: DesiredLoadBalancer = desired): Promise<void> {
      await waitUntil(
        async () => {
          late += 16_000;
          await loadBalancers.reconcile([{ id, version: goal.version }], async () => goal);
          return isDone();
        },
        { what: 'a repair', intervalMs: 500 },
      );
    },
  };
}

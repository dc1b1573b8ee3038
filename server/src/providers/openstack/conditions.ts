import type { Watchable } from '../../kernel/condition.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import type { Stored } from './stored.ts';
import { StoredLook } from './stored-look.ts';

/** How volumes, snapshots and images are in the cloud, by its lists. */

type Kind = 'volume' | 'snapshot' | 'image';

/** Why something is not made anew. */
export const goneOf = (what: 'instance' | Kind): string =>
  `The ${what} is not there in the cloud any more: somebody deleted it outside of Virga, and what it held is gone`;

const brokenOf = (what: Kind, status: string): string =>
  `The cloud says that the ${what} is ${status}: ask the operator of the region to repair it, or delete it`;

/** @param read the states of those in the project that are of no use, by the cloud's ids; of others an empty text */
function watchable(
  options: OpenStackOptions,
  kind: Kind,
  read: () => Promise<ReadonlyMap<string, string>>,
): Watchable {
  const look = new StoredLook(options, kind, read);
  return {
    mayLook: async () => !look.hasJustFailed && (await options.mayLook()),
    async observe(ids, failed) {
      const { gone, states } = await look.observed(ids, failed);
      const lost = gone.map((id) => [id, { failed: goneOf(kind) }] as const);
      const others = [...states].map(
        ([id, state]) => [id, { failed: state === '' ? null : brokenOf(kind, state) }] as const,
      );
      return new Map([...lost, ...others]);
    },
  };
}

/** What Cinder calls errors. It lists those of one state, and no others of several at once. */
const ERRORS = {
  volume: ['error', 'error_backing-up', 'error_deleting', 'error_extending', 'error_restoring'],
  snapshot: ['error', 'error_deleting'],
} as const;

/** Of Cinder: lists of ids, of all and of the few that are in an error. What works there, such as `maintenance`, passes
 *  by itself. */
export const diskCondition = (options: OpenStackOptions, stored: Stored, kind: 'volume' | 'snapshot') =>
  watchable(options, kind, async () => {
    const all = await stored.all(kind, `/${kind}s`);
    const states = new Map<string, string>(all.map(({ id }) => [id, '']));
    for (const status of ERRORS[kind])
      for (const { id } of await stored.all(kind, `/${kind}s?status=${status}`)) states.set(id, status);
    return states;
  });

/** In which an image can be read by nobody. */
export const USELESS_IMAGES = ['killed', 'deleted', 'pending_delete', 'deactivated'];

/** Of Glance, whose lists cannot be shorter. */
export const imageCondition = (options: OpenStackOptions, stored: Stored) =>
  watchable(options, 'image', async () => {
    const { projectId } = await options.session.identity();
    const all = await stored.all('image', `/images?owner=${projectId}`);
    return new Map(all.map(({ id, status }) => [id, USELESS_IMAGES.includes(status) ? status : '']));
  });

import type { Condition, Watchable } from '../../kernel/condition.ts';
import type { OpenStackOptions, PublicImages } from './load-balancers.ts';
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
): Required<Watchable> {
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

/** Of Glance, whose lists cannot be shorter: the project's own, and those that the region's entry names. */
export function imageCondition(options: OpenStackOptions, stored: Stored): Watchable {
  const own = watchable(options, 'image', async () => {
    const { projectId } = await options.session.identity();
    const all = await stored.all('image', `/images?owner=${projectId}`);
    return new Map(all.map(({ id, status }) => [id, USELESS_IMAGES.includes(status) ? status : '']));
  });
  return {
    mayLook: own.mayLook,
    async observe(ids, failed) {
      const named = await options.publicImages();
      const others = ids.filter((id) => !named.has(id));
      const seen = await own.observe(others, new Set([...failed].filter((id) => !named.has(id))));
      return new Map([...seen, ...(await publicConditions(named, stored))]);
    },
  };
}

/** Ids that fit into one address. */
const NAMED_AT_ONCE = 50;

/** They are asked for by their ids, and one that was missing is of use again as soon as it is there: one list says it. */
async function publicConditions(
  named: PublicImages,
  stored: Stored,
): Promise<ReadonlyMap<string, Condition>> {
  const wanted = [...named.values()].filter((engineId) => engineId !== null);
  const states = new Map<string, string>();
  for (let from = 0; from < wanted.length; from += NAMED_AT_ONCE) {
    const these = wanted.slice(from, from + NAMED_AT_ONCE).join(',');
    const path = `/images?visibility=all&id=${encodeURIComponent(`in:${these}`)}`;
    for (const { id, status } of await stored.all('image', path)) states.set(id, status);
  }
  const failedOf = (engineId: string | null) =>
    engineId === null ? NOT_OFFERED : faultOfPublic(states.get(engineId));
  return new Map([...named].map(([id, engineId]) => [id, { failed: failedOf(engineId) }]));
}

export const NOT_OFFERED = 'The region does not offer the image any more: choose another one';

/** Why nothing can be made of an image that everybody sees; null: it can. @param status undefined: there is none */
export function faultOfPublic(status: string | undefined): string | null {
  if (status === 'active') return null;
  const what = status === undefined ? 'has no such image any more' : `says that the image is ${status}`;
  return `The cloud ${what}: choose another one, or ask the operator of the region`;
}

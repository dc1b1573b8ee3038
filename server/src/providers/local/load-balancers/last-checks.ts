import type { LastCheck, MemberHealth } from '../../../features/load-balancers/port.ts';
import type { MemberSeen } from './health.ts';
import type { Verdict } from './probes/prober.ts';

/** Longer is only what members say of themselves. */
const LONGEST = 300;
/** After a reload, until its turn comes again. */
const NOT_AGAIN_YET = 'It has not been checked again since the load balancer was changed.';

interface Known {
  readonly down: boolean;
  readonly check: LastCheck & { readonly since: string };
}

/** What the newest checks said, remembered: a process that has just taken over knows which members are down and by
 *  which kind of check, but not the rest; and seconds that are counted by two clocks would make a new time at each look. */
export class LastChecks {
  #known = new Map<string, Known>();

  /** @param seen what HAProxy says of each member
   *  @param probed what our own probes say of each member
   *  @param now milliseconds since the epoch */
  update(
    health: ReadonlyMap<string, MemberHealth>,
    seen: ReadonlyMap<string, MemberSeen>,
    probed: ReadonlyMap<string, Verdict>,
    now: number,
  ): ReadonlyMap<string, LastCheck> {
    const known = new Map<string, Known>();
    for (const [id, verdict] of health) {
      const one = this.#one(id, verdict === 'ERROR', seen.get(id), probed.get(id), now);
      if (one) known.set(id, one);
    }
    this.#known = known;
    return new Map([...known].map(([id, { check }]) => [id, check]));
  }

  #one(
    id: string,
    down: boolean,
    seen: MemberSeen | undefined,
    probed: Verdict | undefined,
    now: number,
  ): Known | undefined {
    const before = this.#known.get(id);
    const same = before?.down === down ? before.check : undefined;
    const checked = seen?.checked === true || probed !== undefined;
    const said = probed ? probed.words : (seen?.line?.check ?? null);
    const known = said !== null && same?.reason.startsWith(said) === true;
    const reason = (known ? same.reason : said) ?? same?.reason ?? (down && checked ? NOT_AGAIN_YET : null);
    if (!checked || reason === null) return undefined;
    const ago = (seen?.line?.changedAgo || 0) * 1000;
    const since = same?.since ?? new Date(probed ? probed.since : now - ago).toISOString();
    return { down, check: { reason: printable(reason), since } };
  }
}

/** Members choose some of the words, as an HTTP status has some. */
function printable(text: string): string {
  return [...text.replace(/\p{C}/gu, ' ')].slice(0, LONGEST).join('');
}

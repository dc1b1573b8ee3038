import { TooManyRequests } from '../../kernel/errors.ts';
import { together } from '../../platform/database/db.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { consume, giveBack, type Limit, reset } from '../../platform/limits/limits.ts';
import { sourceOf } from '../../platform/limits/source.ts';
import type { Standing } from './passwords.ts';
import * as store from './source-store.ts';

/** Attempts to prove a password, wherever it is asked for. An attempt is counted in its limits before anything is
 *  computed, and given back when it succeeds: what is counted is failures, and guesses that run at the same time
 *  count from their beginning.
 *
 *  Guesses from elsewhere lock nobody out: from a source that has signed in before, only its own attempts for that
 *  address count. Somebody at a new place who meets others' guesses gets in with a mailed token, which makes the
 *  place known. */

const MINUTE = 60;
const PER_ADDRESS_AND_SOURCE = 10;
const PER_SOURCE = 60;
const PER_ADDRESS = { points: 50, seconds: 15 * MINUTE };
const IN_TOTAL = 600;

/** Limits of an attempt in the order in which they are counted: the total suffers only from what the others let by. */
function limitsOf(address: string, source: string, standing: Standing): readonly Limit[] {
  const pair = { key: pairKey(address, source), points: PER_ADDRESS_AND_SOURCE, seconds: MINUTE };
  if (standing === 'known') return [pair];
  return [
    { key: `passwords from ${source}`, points: PER_SOURCE, seconds: MINUTE },
    pair,
    { key: `passwords of ${address}`, ...PER_ADDRESS },
    { key: 'passwords of strangers', points: IN_TOTAL, seconds: MINUTE },
  ];
}

const pairKey = (address: string, source: string) => `passwords of ${address} from ${source}`;

/** Lets `prove` try.
 *  @param address in its canonical form
 *  @param prove whose password it is, or undefined when it is nobody's
 *  @throws TooManyRequests when there were too many failures */
export async function attempt(
  ctx: RequestContext,
  address: string,
  prove: (standing: Standing) => Promise<number | undefined>,
): Promise<boolean> {
  const source = sourceOf(ctx.remoteAddress);
  return inTurn(pairKey(address, source), async () => {
    const standing = (await store.isKnown(ctx.db, address, source)) ? 'known' : 'stranger';
    const limits = limitsOf(address, source, standing);
    await consume(ctx, limits);
    let userId: number | undefined;
    try {
      userId = await prove(standing);
    } catch (error) {
      // Nothing was found out about the password.
      await giveBack(ctx.db, limits).catch(() => undefined);
      throw error;
    }
    if (userId === undefined) return false;
    await succeeded(ctx, { limits, userId, source, pair: pairKey(address, source) });
    return true;
  });
}

async function succeeded(
  ctx: RequestContext,
  {
    limits,
    userId,
    source,
    pair,
  }: { limits: readonly Limit[]; userId: number; source: string; pair: string },
): Promise<void> {
  const own = limits.find(({ key }) => key === pair);
  const others = limits.filter(({ key }) => key !== pair);
  await ctx.db.transaction((tx) =>
    together([
      store.remember(tx, { userId, source, timestamp: ctx.clock.timestamp() }),
      others.length > 0 ? giveBack(tx, others) : undefined,
      own && reset(tx, own),
    ]),
  );
}

const MAX_IN_TURN = 32;
const turns = new Map<string, { last: Promise<unknown>; waiting: number }>();

/** Attempts for one address from one place take turns on a node, so that many sign-ins at once that are all right
 *  do not use up the limit of wrong ones.
 *  @throws TooManyRequests when too many wait */
async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const turn = turns.get(key) ?? { last: Promise.resolve(), waiting: 0 };
  if (turn.waiting >= MAX_IN_TURN) throw new TooManyRequests(1000);
  turns.set(key, turn);
  turn.waiting++;
  const mine = turn.last.then(work);
  turn.last = mine.catch(() => undefined);
  try {
    return await mine;
  } finally {
    if (--turn.waiting === 0) turns.delete(key);
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../kernel/errors.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { DesiredNoun, NetworkProvider } from './port.ts';

const STEPS = 3;
/** A request waits no longer for its region. */
const PATIENCE_MS = 5_000;

/** Makes a change true that needed no task. What the region does not do now it does at the next look. */
export async function applyAtOnce(
  ctx: Pick<RegionContext, 'requestId' | 'clock' | 'log'>,
  provider: NetworkProvider | undefined,
  nouns: readonly DesiredNoun[],
): Promise<void> {
  if (!provider) return;
  const late = delay(PATIENCE_MS, undefined, { ref: false });
  await Promise.race([applyAll(ctx, provider, nouns), late]);
}

async function applyAll(
  { requestId: key, clock, log }: Pick<RegionContext, 'requestId' | 'clock' | 'log'>,
  provider: NetworkProvider,
  nouns: readonly DesiredNoun[],
): Promise<void> {
  for (const desired of nouns) {
    const { kind, id } = desired;
    const operation = { key, type: `settle_${kind}`, name: id, acceptedAt: clock.now() };
    try {
      for (let steps = 0; steps < STEPS; steps++) if ((await provider.apply(desired, operation)).ready) break;
    } catch (error) {
      log.warn({ err: error, kind, id }, `a ${kind} is not as desired yet: ${messageOf(error)}`);
    }
  }
}

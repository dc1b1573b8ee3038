import type { Strike } from '../../features/simulation/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { type Operation, type Progress, READY } from '../../kernel/operation.ts';
import { seededFraction } from '../../kernel/random.ts';

export interface SimulationOptions {
  /** The same seed gives the same durations and failures. */
  readonly seed: string;
  /** Multiplies durations; 0: instant, 1: as long as in a real cloud. */
  readonly timeScale: number;
  /** Share of the nodes that fail some time after they were ready, 0 to 1, by how. */
  readonly conditions: Readonly<Record<string, number>>;
  readonly now: () => number;
  /** What is to go wrong. */
  readonly strikeOn: (operation: Operation) => Promise<Strike>;
}

/** Shortest and longest duration in seconds at time scale 1. */
export type Range = readonly [shortest: number, longest: number];

const LONGEST_POLL_MS = 1000;
const POLLS = 10;

/** How far an operation has come. Nothing is remembered: it follows from when the work was accepted, and from
 *  jitter that depends on the seed, the task type and the name, and from what strikes it.
 *  @throws TaskFailed at the end of an operation that shall fail */
export async function progressOf(
  operation: Operation,
  [shortest, longest]: Range,
  options: SimulationOptions,
): Promise<Progress> {
  const { seed, timeScale } = options;
  const { type, name } = operation;
  const jitter = seededFraction(seed, 'duration', type, name);
  const { delayMs, failure } = await options.strikeOn(operation);
  const durationMs = (shortest + (longest - shortest) * jitter) * 1000 * timeScale + delayMs;
  const elapsedMs = options.now() - operation.acceptedAt.getTime();
  const remainingMs = durationMs - elapsedMs;
  if (durationMs > 0 && remainingMs > 0) {
    const retryInMs = Math.ceil(Math.min(remainingMs, Math.max(LONGEST_POLL_MS, durationMs / POLLS)));
    return { ready: false, retryInMs, percent: Math.floor((Math.max(0, elapsedMs) / durationMs) * 100) };
  }
  if (failure !== undefined) throw new TaskFailed(failure);
  return READY;
}

/** How far operations have come that are in the table, seconds by their type; all others take no time: they are part
 *  of another operation, or undo something. */
export const timedBy =
  (options: SimulationOptions, durations: Readonly<Record<string, Range>>) =>
  async (operation: Operation): Promise<Progress> => {
    const range = durations[operation.type];
    return range ? progressOf(operation, range, options) : READY;
  };

import type { ListenerStats } from '../../../features/load-balancers/port.ts';
import { listenerName } from './config/rendering.ts';
import type { StatLine } from './show-stat.ts';

const GROWING = ['bytesIn', 'bytesOut', 'requestErrors', 'totalConnections'] as const;
const NOTHING: ListenerStats = {
  activeConnections: 0,
  bytesIn: 0,
  bytesOut: 0,
  requestErrors: 0,
  totalConnections: 0,
};

type ByListener = Record<string, ListenerStats>;

/** The shape in which counters are kept across restarts of the server. */
export interface SavedCounters {
  /** Sums of processes that have ended. */
  readonly ended: ByListener;
  /** Process key → its last reading. */
  readonly running: Readonly<Record<string, ByListener>>;
  /** How much of the log of UDP sessions has been counted, in bytes. */
  readonly sessionsRead: number;
}

/** Counters per listener that only grow, although each HAProxy process starts again at zero: those of
 *  ended processes are added to those of the running ones. */
export class Counters {
  readonly #ended: ByListener;
  readonly #running: Map<string, ByListener>;
  #sessionsRead: number;
  #changed = false;

  constructor(saved: SavedCounters | null) {
    this.#ended = { ...saved?.ended };
    this.#sessionsRead = saved?.sessionsRead ?? 0;
    this.#running = new Map(Object.entries(saved?.running ?? {}));
  }

  /** Records what one process says of its listeners now. */
  record(process: string, reading: ByListener): void {
    const before = this.#running.get(process);
    this.#changed ||= JSON.stringify(before) !== JSON.stringify(reading);
    this.#running.set(process, reading);
  }

  /** Processes other than these have ended; their last readings stay in the sums. */
  keepOnly(processes: ReadonlySet<string>): void {
    for (const [process, reading] of this.#running) {
      if (processes.has(process)) continue;
      for (const [listener, stats] of Object.entries(reading)) {
        this.#ended[listener] = { ...add(this.#ended[listener] ?? NOTHING, stats), activeConnections: 0 };
      }
      this.#running.delete(process);
      this.#changed = true;
    }
  }

  /** Whether there is something new to keep. */
  get isChanged(): boolean {
    return this.#changed;
  }

  get sessionsRead(): number {
    return this.#sessionsRead;
  }

  /** Adds UDP sessions that have ended, and how far their log has thereby been read. */
  addSessions(counts: ReadonlyMap<string, ListenerStats>, read: number): void {
    for (const [listener, stats] of counts) {
      this.#ended[listener] = { ...add(this.#ended[listener] ?? NOTHING, stats), activeConnections: 0 };
    }
    this.#changed ||= read !== this.#sessionsRead;
    this.#sessionsRead = read;
  }

  /** Sums for exactly these listeners; counters of others are forgotten. */
  totals(listeners: readonly string[]): Map<string, ListenerStats> {
    const kept = new Set(listeners);
    for (const listener of Object.keys(this.#ended)) {
      if (!kept.has(listener)) delete this.#ended[listener];
    }
    return new Map(listeners.map((listener) => [listener, this.#total(listener)]));
  }

  /** What to keep, if anything changed since it was last asked for. */
  drainChanges(): SavedCounters | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return {
      ended: this.#ended,
      running: Object.fromEntries(this.#running),
      sessionsRead: this.#sessionsRead,
    };
  }

  #total(listener: string): ListenerStats {
    let sum = this.#ended[listener] ?? NOTHING;
    for (const reading of this.#running.values()) sum = add(sum, reading[listener] ?? NOTHING);
    return sum;
  }
}

/** What a `show stat` says of these listeners. */
export function readListeners(lines: readonly StatLine[], listeners: readonly string[]): ByListener {
  const frontends = new Map(
    lines.flatMap((line) => (line.service === 'FRONTEND' ? [[line.proxy, line]] : [])),
  );
  const reading: ByListener = {};
  for (const listener of listeners) {
    const line = frontends.get(listenerName(listener));
    if (!line) continue;
    reading[listener] = {
      activeConnections: line.currentSessions,
      bytesIn: line.bytesIn,
      bytesOut: line.bytesOut,
      requestErrors: line.requestErrors,
      totalConnections: line.totalSessions,
    };
  }
  return reading;
}

function add(left: ListenerStats, right: ListenerStats): ListenerStats {
  const sum = { ...left, activeConnections: left.activeConnections + right.activeConnections };
  for (const name of GROWING) Object.assign(sum, { [name]: left[name] + right[name] });
  return sum;
}

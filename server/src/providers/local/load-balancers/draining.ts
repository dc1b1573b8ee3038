import { isAlive, type ProcessIdentity, processKey, terminate } from '../../../kernel/processes.ts';
import type { RuntimeSocket } from './runtime-socket.ts';
import { parseStat, SHOW_STAT, type StatLine } from './show-stat.ts';

/** Takes what the process with this key says of its frontends and servers. */
export type RecordStat = (key: string, lines: readonly StatLine[]) => void;

interface Drainer {
  readonly identity: ProcessIdentity;
  /** Open as long as the process has something to count; it would keep the process from ending. */
  socket: RuntimeSocket | null;
}

/** Processes that were replaced and finish what they have begun. */
export class Draining {
  readonly #drainers = new Map<string, Drainer>();

  constructor(identities: readonly ProcessIdentity[]) {
    for (const identity of identities) this.add(identity, null);
  }

  add(identity: ProcessIdentity, socket: RuntimeSocket | null): void {
    this.#drainers.set(processKey(identity), { identity, socket });
  }

  identities(): ProcessIdentity[] {
    return [...this.#drainers.values()].map(({ identity }) => identity);
  }

  /** The connection to one of them, as long as there is one. */
  socketOf(identity: ProcessIdentity): RuntimeSocket | null {
    return this.#drainers.get(processKey(identity))?.socket ?? null;
  }

  /** Reads their counters while they have connections, and forgets those that have ended. */
  async poll(record: RecordStat): Promise<void> {
    for (const [key, drainer] of this.#drainers) {
      if (!isAlive(drainer.identity)) {
        drainer.socket?.close();
        this.#drainers.delete(key);
      } else if (drainer.socket) {
        await readLast(key, drainer, drainer.socket, record);
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all(
      [...this.#drainers.values()].map(async ({ identity, socket }) => {
        socket?.close();
        await terminate(identity);
      }),
    );
    this.#drainers.clear();
  }

  disconnect(): void {
    for (const { socket } of this.#drainers.values()) socket?.close();
  }
}

async function readLast(
  key: string,
  drainer: Drainer,
  socket: RuntimeSocket,
  record: RecordStat,
): Promise<void> {
  let busy = false;
  try {
    const lines = parseStat(await socket.command(SHOW_STAT));
    record(key, lines);
    busy = lines.some(({ service, currentSessions }) => service === 'FRONTEND' && currentSessions > 0);
  } catch {
    // It ended between two looks.
  }
  if (busy) return;
  socket.close();
  drainer.socket = null;
}

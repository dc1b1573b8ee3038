import type { Db } from '../database/db.ts';
import { Listener } from '../database/listener.ts';

/** Changes of an account that no task makes: a call that is done at once, and how a resource is. */

export interface Change {
  readonly clientId: number;
  /** null: it is in no project. */
  readonly projectId: number | null;
  /** null: it is in no region. */
  readonly regionId: number | null;
  /** What was done, as the audit log names it; `health` or `counters` of what nobody has changed; `unknown` where some
   *  changes may have been missed. */
  readonly action: string;
  /** What `health` and `counters` are of: `loadbalancer`, `k8s_cluster`, `dbaas_postgres_cluster`. */
  readonly noun: string | null;
  /** Of `health` and `counters`: whose they are. */
  readonly id: string | null;
}

const CHANGED = 'virga_changed';

/** Notifies whoever follows the account, on every node. It may be lost: who follows also looks now and then. */
export const noteChange = (db: Pick<Db, 'notify'>, change: Change): void =>
  db.notify(CHANGED, JSON.stringify(change));

type Hear = (change: Change) => void;

/** Calls back with the changes of an account, on whichever node they happen. */
export class ChangeWatcher {
  readonly #listener: Listener;
  readonly #hearing = new Map<number, Set<Hear>>();

  constructor(db: Db) {
    this.#listener = new Listener(db, CHANGED, {
      message: (text) => this.#heard(JSON.parse(text)),
      lost: () => this.#missed(),
    });
  }

  /** @returns what ends that */
  onChange(clientId: number, hear: Hear): () => void {
    const set = this.#hearing.get(clientId) ?? new Set();
    this.#hearing.set(clientId, set.add(hear));
    void this.#listener.listen();
    return () => {
      set.delete(hear);
      if (set.size === 0) this.#hearing.delete(clientId);
    };
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  #heard(change: Change): void {
    for (const hear of this.#hearing.get(change.clientId) ?? []) hear(change);
  }

  #missed(): void {
    for (const clientId of this.#hearing.keys()) {
      this.#heard({ clientId, projectId: null, regionId: null, action: 'unknown', noun: null, id: null });
    }
    void this.#listener.listen();
  }
}

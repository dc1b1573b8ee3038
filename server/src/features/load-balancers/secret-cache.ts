import type { Db } from '../../platform/database/db.ts';
import type { SecretReader } from '../secrets/index.ts';
import type { OpenedSecrets } from './desired-tls.ts';

/** Opened secrets of live load balancers. A secret never changes its content, so that each is read once and
 *  forgotten when nothing needs it any more. */
export class SecretCache {
  readonly #db: Db;
  readonly #reader: SecretReader;
  readonly #known = new Map<number, OpenedSecrets>();

  constructor(db: Db, reader: SecretReader) {
    this.#db = db;
    this.#reader = reader;
  }

  /** @param ids all that the region needs; what is not among them is forgotten */
  async read(regionId: number, ids: readonly string[]): Promise<OpenedSecrets> {
    const known = this.#known.get(regionId) ?? new Map();
    const requested = new Set(ids);
    const kept = new Map([...known].filter(([id]) => requested.has(id)));
    const fresh = await this.#reader.open(
      this.#db,
      ids.filter((id) => !kept.has(id)),
    );
    const all = new Map([...kept, ...fresh]);
    this.#known.set(regionId, all);
    return all;
  }
}

import { absent } from './faults.ts';
import { adopt, type EngineFacts, type EngineObjects, markOf, type StoredKind } from './marks.ts';
import type { Service, Session } from './session.ts';

/** Objects of Nova, Cinder and Glance, by the ids that they have here. Each is marked in the call that makes it: by tags
 *  (Nova), by metadata (Cinder), or by its name alone, where another service makes it (Glance). */

const PAGE = 500;

interface Collection {
  readonly service: Service;
  readonly path: string;
  /** What an answer about one is wrapped in; null: it is the answer. */
  readonly one: string | null;
  readonly list: string;
  /** Where the list is that can be searched, and how. */
  marked(id: string): string;
}

const COLLECTIONS: Readonly<Record<StoredKind, Collection>> = {
  instance: {
    service: 'compute',
    path: '/servers',
    one: 'server',
    list: 'servers',
    marked: (id) => `/servers/detail?tags=${encodeURIComponent(markOf(id))}`,
  },
  volume: {
    service: 'block-storage',
    path: '/volumes',
    one: 'volume',
    list: 'volumes',
    marked: (id) => `/volumes/detail?metadata=${metadataFilter(id)}`,
  },
  snapshot: {
    service: 'block-storage',
    path: '/snapshots',
    one: 'snapshot',
    list: 'snapshots',
    marked: (id) => `/snapshots/detail?metadata=${metadataFilter(id)}`,
  },
  image: {
    service: 'image',
    path: '/images',
    one: null,
    list: 'images',
    marked: (id) => `/images?name=${encodeURIComponent(nameOf(id))}`,
  },
};

/** The key under which Cinder keeps a mark. */
export const MARK_KEY = 'virga';
const metadataFilter = (id: string) => encodeURIComponent(`{'${MARK_KEY}': '${id}'}`);

export const nameOf = (id: string): string => `virga-${id}`;

export interface FoundObject {
  readonly id: string;
  readonly status: string;
  readonly created_at?: string;
  readonly [field: string]: unknown;
}

/** What was found of something. */
export interface Found {
  readonly there: FoundObject | undefined;
  /** Whether it was there before: what is gone then was deleted by somebody else. */
  readonly isKnown: boolean;
  readonly facts: EngineFacts;
}

export class Stored {
  readonly #session: Session;
  readonly #objects: EngineObjects;

  constructor(session: Session, objects: EngineObjects) {
    this.#session = session;
    this.#objects = objects;
  }

  /** What is there of it: what it was before, or what carries its mark; what else carries that goes. */
  async find(kind: StoredKind, id: string): Promise<Found> {
    const known = await this.#objects.find(kind, id);
    const facts = known?.facts ?? {};
    const there = known && (await this.get(kind, known.engineId));
    if (there) return { there, isKnown: true, facts };
    const { adopted, surplus } = adopt(await this.#marked(kind, id));
    for (const each of surplus) await this.delete(kind, each.id);
    if (adopted) await this.#objects.save(kind, id, { engineId: adopted.id, facts });
    return { there: adopted, isKnown: known !== undefined, facts };
  }

  /** The cloud's id of something that is there. */
  async engineId(kind: StoredKind, id: string): Promise<string | undefined> {
    return (await this.#objects.find(kind, id))?.engineId ?? (await this.find(kind, id)).there?.id;
  }

  async get(kind: StoredKind, engineId: string): Promise<FoundObject | undefined> {
    const { service, path, one } = COLLECTIONS[kind];
    const answer = await absent(this.#session.call(service, 'GET', `${path}/${engineId}`));
    if (answer === undefined) return undefined;
    return one === null ? (answer as FoundObject) : Reflect.get(answer as object, one);
  }

  /** @returns the cloud's id of what was made, which is kept */
  async create(
    kind: StoredKind,
    id: string,
    fields: object,
    more: object = {},
    facts: EngineFacts = {},
  ): Promise<string> {
    const { service, path, one } = COLLECTIONS[kind];
    const body = one === null ? fields : Object.assign({ [one]: fields }, more);
    const answer = await this.#session.call(service, 'POST', path, body);
    const { id: engineId } = (one === null ? answer : Reflect.get(answer as object, one)) as FoundObject;
    await this.#objects.save(kind, id, { engineId, facts });
    return engineId;
  }

  /** Has the cloud do something to it. */
  async act(kind: StoredKind, engineId: string, action: object): Promise<unknown> {
    const { service, path } = COLLECTIONS[kind];
    return this.#session.call(service, 'POST', `${path}/${engineId}/action`, action);
  }

  /** What is gone is deleted. */
  async delete(kind: StoredKind, engineId: string): Promise<void> {
    const { service, path } = COLLECTIONS[kind];
    await absent(this.#session.call(service, 'DELETE', `${path}/${engineId}`));
  }

  async save(kind: StoredKind, id: string, engineId: string, facts: EngineFacts): Promise<void> {
    await this.#objects.save(kind, id, { engineId, facts });
  }

  async forget(id: string): Promise<void> {
    await this.#objects.forget(id);
  }

  /** All pages of a list. A page that fails fails the whole. @param query after the path: `?a=b` or empty */
  async all(kind: StoredKind, path: string): Promise<readonly FoundObject[]> {
    const { service, list } = COLLECTIONS[kind];
    const found: FoundObject[] = [];
    for (;;) {
      const last = found.at(-1);
      const marker = last ? `&marker=${last.id}` : '';
      const url = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}${marker}`;
      const answer = (await this.#session.call(service, 'GET', url)) as Record<string, FoundObject[]>;
      const page = answer[list] ?? [];
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  }

  async #marked(kind: StoredKind, id: string): Promise<readonly FoundObject[]> {
    const found = await this.all(kind, COLLECTIONS[kind].marked(id));
    // Nova says when something was created in a word of its own.
    return found.map((each) =>
      Object.assign({}, each, { created_at: each.created_at ?? (each.created as string) }),
    );
  }
}

import type { Noun, NounKind } from '../../features/networking/networks/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { isSame } from './converge.ts';
import { absent, EngineFault } from './faults.ts';
import { adopt, type EngineObjects, markedId, markOf } from './marks.ts';
import type { Session } from './session.ts';

/** Objects of Neutron, by the ids that they have here. A creation takes no tags there: the mark is the description. */

const PAGE = 500;

const COLLECTIONS: Readonly<Record<NounKind, { path: string; list: string; one: string }>> = {
  network: { path: 'networks', list: 'networks', one: 'network' },
  subnet: { path: 'subnets', list: 'subnets', one: 'subnet' },
  router: { path: 'routers', list: 'routers', one: 'router' },
  port: { path: 'ports', list: 'ports', one: 'port' },
  floating_ip: { path: 'floatingips', list: 'floatingips', one: 'floatingip' },
  security_group: { path: 'security-groups', list: 'security_groups', one: 'security_group' },
};

export interface FoundNoun {
  readonly id: string;
  readonly created_at?: string;
  readonly description: string;
  readonly revision_number: number;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

/** Some changes are counted, and some are only dated. */
const seenOf = ({ revision_number: count, updated_at: at }: FoundNoun) => `${count} ${at}`;

export type Fields = Readonly<Record<string, unknown>>;

export class Nouns {
  readonly #session: Session;
  readonly #objects: EngineObjects;

  constructor(session: Session, objects: EngineObjects) {
    this.#session = session;
    this.#objects = objects;
  }

  /** What is there of it: what it was before, or what carries its mark; what else carries that goes. */
  async find({ kind, id }: Noun): Promise<FoundNoun | undefined> {
    const known = await this.#objects.find(kind, id);
    const there = known && (await this.#get(kind, known.engineId));
    if (there) return there;
    const marked = await this.query(kind, `description=${encodeURIComponent(markOf(id))}`);
    const { adopted, surplus } = adopt(marked);
    for (const each of surplus) await this.delete(kind, each.id);
    return adopted;
  }

  /** The cloud's id of something that is there. */
  async engineId(noun: Noun): Promise<string | undefined> {
    return (await this.#objects.find(noun.kind, noun.id))?.engineId ?? (await this.find(noun))?.id;
  }

  async create({ kind, id }: Noun, fields: Fields): Promise<FoundNoun> {
    const { path, one } = COLLECTIONS[kind];
    const body = Object.assign({ name: `virga-${id}`, description: markOf(id) }, fields);
    // Floating IPs have no names.
    if (kind === 'floating_ip') Reflect.deleteProperty(body, 'name');
    return this.#one(kind, await this.#session.call('network', 'POST', `/${path}`, { [one]: body }));
  }

  /** @param address that it is to have, for the user to read
   *  @throws TaskFailed when something else has it */
  async createPort(noun: Noun, fields: Fields, address: string): Promise<FoundNoun> {
    try {
      return await this.create(noun, fields);
    } catch (error) {
      if (!(error instanceof EngineFault) || error.kind !== 'conflict') throw error;
      // It was made meanwhile by whoever else works on it.
      const found = await this.find(noun);
      if (found) return found;
      throw new TaskFailed(`${address} is in use by something else in the cloud: ${error.message}`);
    }
  }

  /** Changes what of it differs.
   *  @returns the names of these fields */
  async change({ kind, id }: Noun, found: FoundNoun, goal: Fields, more: Fields = {}): Promise<string[]> {
    const marked = Object.assign({ description: markOf(id) }, goal);
    const differing = Object.entries(marked).filter(([key, value]) => !isSame(found[key], value));
    if (differing.length === 0) return [];
    await this.update(kind, found.id, Object.assign(Object.fromEntries(differing), more));
    return differing.map(([key]) => key);
  }

  async update(kind: NounKind, engineId: string, fields: Fields): Promise<void> {
    const { path, one } = COLLECTIONS[kind];
    await this.#session.call('network', 'PUT', `/${path}/${engineId}`, { [one]: fields });
  }

  /** What is gone is deleted. */
  async delete(kind: NounKind, engineId: string): Promise<void> {
    await absent(this.#session.call('network', 'DELETE', `/${COLLECTIONS[kind].path}/${engineId}`));
  }

  async settled({ kind, id }: Noun, { id: engineId }: FoundNoun, digest: string): Promise<void> {
    const after = await this.#get(kind, engineId);
    const facts = { digest, seen: after ? seenOf(after) : '' };
    await this.#objects.save(kind, id, { engineId, facts });
  }

  /** What of a kind is in the project, by the cloud's ids: when each was changed. A page that fails fails the whole. */
  async seen(kind: NounKind, projectId: string): Promise<ReadonlyMap<string, string>> {
    const fields = 'fields=id&fields=revision_number&fields=updated_at';
    const lines = await this.query(kind, `project_id=${projectId}&${fields}`);
    return new Map(lines.map((line) => [line.id, seenOf(line)]));
  }

  async query(kind: NounKind, query: string): Promise<readonly FoundNoun[]> {
    const { path, list } = COLLECTIONS[kind];
    const all: FoundNoun[] = [];
    for (;;) {
      const last = all.at(-1);
      const marker = last ? `&marker=${last.id}` : '';
      const order = `sort_key=id&sort_dir=asc&limit=${PAGE}${marker}`;
      const answer = await this.#session.call('network', 'GET', `/${path}?${query}&${order}`);
      const page = (answer as Record<string, FoundNoun[]>)[list] ?? [];
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  }

  /** Whether something that carries a mark of ours. */
  isOurs = (found: FoundNoun): boolean => markedId(found) !== null;

  async #get(kind: NounKind, engineId: string): Promise<FoundNoun | undefined> {
    const answer = await absent(
      this.#session.call('network', 'GET', `/${COLLECTIONS[kind].path}/${engineId}`),
    );
    return answer === undefined ? undefined : this.#one(kind, answer);
  }

  #one(kind: NounKind, answer: unknown): FoundNoun {
    return Reflect.get(answer as object, COLLECTIONS[kind].one);
  }
}

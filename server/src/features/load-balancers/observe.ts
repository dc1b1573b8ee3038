import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import { noteChange } from '../../platform/changes/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import type { DataPlanes } from './data-planes.ts';
import { type Sighting, writeSightings } from './health-store.ts';
import type { LoadBalancerTree } from './model.ts';
import { healthOf } from './operating-status.ts';
import type { LoadBalancerProvider, ObservedLoadBalancer } from './port.ts';
import type { TreeCache } from './tree-cache.ts';

/** Looks after which what was already written is written again, in case somebody else wrote meanwhile. */
const FORGET_AFTER = 20;
/** Looks in a row without a sign of life that make a load balancer dead; one may fall into a reload. */
const ABSENCES = 2;

/** Writes operating statuses and counters from what the data planes say. */
export class Observer {
  readonly #db: Db;
  readonly #providers: DataPlanes;
  readonly #trees: TreeCache;
  readonly #log: Logger;
  /** What was written last, by load balancer. */
  #written = new Map<string, string>();
  #absences = new Map<string, number>();
  /** Of each, how it and its parts were last, without what is counted. */
  readonly #health = new Map<string, string>();
  #looks = 0;

  constructor(db: Db, providers: DataPlanes, trees: TreeCache, log: Logger) {
    this.#db = db;
    this.#providers = providers;
    this.#trees = trees;
    this.#log = log;
  }

  async run(): Promise<void> {
    const live = await this.#providers.live();
    if (live.length === 0) return;
    if (this.#looks++ % FORGET_AFTER === 0) this.#written.clear();
    const idle = (await this.#trees.read(live.map(([id]) => id))).filter((tree) => tree.task_id === null);
    const looks = await Promise.all(live.map(([id, provider]) => this.#look(id, provider, idle)));
    const sightings = looks.flat();
    const alive = new Set(idle.map(({ id }) => id));
    for (const map of [this.#written, this.#absences, this.#health]) {
      for (const id of map.keys()) if (!alive.has(id)) map.delete(id);
    }
    await this.#write(sightings, idle);
  }

  async #look(regionId: number, provider: LoadBalancerProvider, idle: readonly LoadBalancerTree[]) {
    const trees = idle.filter((tree) => tree.region_id === regionId);
    if (trees.length === 0) return [];
    try {
      const observed = await provider.observe(trees.map(({ id }) => id));
      return trees.flatMap((tree) => this.#sighting(tree, observed.get(tree.id)) ?? []);
    } catch (error) {
      this.#log.warn({ err: error, regionId }, `load balancers could not be observed: ${messageOf(error)}`);
      return [];
    }
  }

  #sighting(tree: LoadBalancerTree, observed: ObservedLoadBalancer | undefined): Sighting | undefined {
    const absences = observed ? 0 : (this.#absences.get(tree.id) ?? 0) + 1;
    this.#absences.set(tree.id, absences);
    if (observed ? observed.version < tree.version : absences < ABSENCES) return undefined;
    const { status, parts } = healthOf(tree, observed);
    const stats = [...(observed?.listenerStats ?? [])].map(([id, counted]) => ({ id, ...counted }));
    return { id: tree.id, version: tree.version, status, parts, stats };
  }

  async #write(sightings: readonly Sighting[], trees: readonly LoadBalancerTree[]): Promise<void> {
    const texts = new Map(sightings.map((seen) => [seen.id, JSON.stringify(seen)]));
    const news = sightings.filter(({ id }) => this.#written.get(id) !== texts.get(id));
    if (news.length === 0) return;
    await writeSightings(this.#db, news);
    const owners = new Map(trees.map((tree) => [tree.id, tree]));
    for (const seen of news) {
      this.#written.set(seen.id, texts.get(seen.id) ?? '');
      this.#note(seen, owners.get(seen.id));
    }
  }

  /** Notifies who follows the account; of one that is seen for the first time there is nothing to notify of. */
  #note({ id, status, parts }: Sighting, owner: LoadBalancerTree | undefined): void {
    const health = JSON.stringify([status, parts]);
    const before = this.#health.get(id);
    this.#health.set(id, health);
    if (before === undefined || owner === undefined) return;
    const { client_id: clientId, project_id: projectId, region_id: regionId } = owner;
    const action = before === health ? 'counters' : 'health';
    noteChange(this.#db, { clientId, projectId, regionId, action, noun: 'loadbalancer', id });
  }
}

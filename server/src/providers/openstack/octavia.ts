import type { Call, Found, FoundPolicy, FoundPool, FoundTree } from './converge.ts';
import { absent } from './faults.ts';
import { markOf } from './marks.ts';
import type { Session } from './session.ts';

/** Reads and calls of Octavia. */

const PAGE = 500;

export interface LoadBalancerLine {
  readonly id: string;
  readonly provisioning_status: string;
  readonly operating_status: string;
  readonly updated_at: string | null;
  readonly tags: readonly string[];
}

export class Octavia {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  do({ method, path, body }: Call): Promise<unknown> {
    return this.#session.call('load-balancer', method, `/lbaas${path}`, body);
  }

  /** @returns undefined when there is none */
  async find(engineId: string): Promise<Found | undefined> {
    const answer = await absent(this.#get(`/loadbalancers/${engineId}`));
    const found = (answer as { loadbalancer?: Found } | undefined)?.loadbalancer;
    return found?.provisioning_status === 'DELETED' ? undefined : found;
  }

  /** Those that carry the mark of this id: one, unless the answer to a creation was lost. */
  async findMarked(id: string): Promise<readonly Found[]> {
    return this.#all('loadbalancers', `tags=${encodeURIComponent(markOf(id))}`);
  }

  async create(body: object): Promise<Found> {
    const made = await this.#session.call('load-balancer', 'POST', '/lbaas/loadbalancers', {
      loadbalancer: body,
    });
    return (made as { loadbalancer: Found }).loadbalancer;
  }

  /** With all its parts. One that is gone already is deleted. */
  async remove(engineId: string): Promise<void> {
    await absent(
      this.#session.call('load-balancer', 'DELETE', `/lbaas/loadbalancers/${engineId}?cascade=true`),
    );
  }

  async failover(engineId: string): Promise<void> {
    await this.#session.call('load-balancer', 'PUT', `/lbaas/loadbalancers/${engineId}/failover`);
  }

  /** Everything of a load balancer. */
  async tree(loadBalancer: Found): Promise<FoundTree> {
    const of = `loadbalancer_id=${loadBalancer.id}`;
    const [listeners, pools] = await Promise.all([this.#all('listeners', of), this.#all('pools', of)]);
    const wholePools = await Promise.all(pools.map((pool) => this.#pool(pool)));
    const policies = await Promise.all(listeners.map((listener) => this.#policies(listener)));
    return { loadBalancer, listeners, pools: wholePools, policies: policies.flat() };
  }

  async #pool(pool: Found): Promise<FoundPool> {
    const monitorId = pool.healthmonitor_id;
    const [members, answer] = await Promise.all([
      this.#all(`pools/${pool.id}/members`, '', 'members'),
      typeof monitorId === 'string' ? absent(this.#get(`/healthmonitors/${monitorId}`)) : undefined,
    ]);
    const monitor = (answer as { healthmonitor?: Found } | undefined)?.healthmonitor ?? null;
    return { pool, members, monitor };
  }

  async #policies(listener: Found): Promise<FoundPolicy[]> {
    const ids = listener.l7policies as readonly unknown[] | undefined;
    if (!ids?.length) return [];
    const policies = await this.#all('l7policies', `listener_id=${listener.id}`);
    return Promise.all(
      policies.map(async (policy) => ({
        policy,
        rules: await this.#all(`l7policies/${policy.id}/rules`, '', 'rules'),
      })),
    );
  }

  /** One line of each load balancer of the project, page by page. A page that fails fails the whole, so that what is
   *  not in the list is really not there. */
  async lines(projectId: string): Promise<readonly LoadBalancerLine[]> {
    const fields = ['id', 'provisioning_status', 'operating_status', 'updated_at', 'tags']
      .map((field) => `fields=${field}`)
      .join('&');
    return (await this.#all(
      'loadbalancers',
      `project_id=${projectId}&${fields}`,
    )) as unknown as LoadBalancerLine[];
  }

  /** The health of each member, by address and port, of each pool. */
  async memberHealth(engineId: string): Promise<ReadonlyMap<string, string>> {
    const answer = (await this.#get(`/loadbalancers/${engineId}/status`)) as StatusTree;
    const { listeners = [], pools = [] } = answer.statuses.loadbalancer;
    const all = [...pools, ...listeners.flatMap((listener) => listener.pools ?? [])];
    return new Map(
      all.flatMap((pool) => (pool.members ?? []).map((each) => [each.id, each.operating_status] as const)),
    );
  }

  /** @returns undefined when there is no such listener */
  async listenerStats(engineId: string): Promise<Stats | undefined> {
    const answer = await absent(this.#get(`/listeners/${engineId}/stats`));
    return (answer as { stats: Stats } | undefined)?.stats;
  }

  #get(path: string): Promise<unknown> {
    return this.#session.call('load-balancer', 'GET', `/lbaas${path}`);
  }

  async #all(path: string, query: string, name = path): Promise<Found[]> {
    const all: Found[] = [];
    for (let marker = ''; ; ) {
      const words = [query, `limit=${PAGE}`, marker && `marker=${marker}`].filter(Boolean).join('&');
      const answer = (await this.#get(`/${path}?${words}`)) as Record<string, Found[]>;
      const page = answer[name] ?? [];
      all.push(...page);
      const last = page.at(-1);
      if (page.length < PAGE || !last) return all;
      marker = last.id;
    }
  }
}

export interface Stats {
  readonly active_connections: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly request_errors: number;
  readonly total_connections: number;
}

interface StatusPool {
  readonly members?: readonly { readonly id: string; readonly operating_status: string }[];
}

interface StatusTree {
  readonly statuses: {
    readonly loadbalancer: {
      readonly listeners?: readonly { readonly pools?: readonly StatusPool[] }[];
      readonly pools?: readonly StatusPool[];
    };
  };
}

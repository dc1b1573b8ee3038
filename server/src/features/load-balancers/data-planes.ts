import { NotOffered, TaskFailed } from '../../kernel/errors.ts';
import type { Queryable } from '../../platform/database/db.ts';
import type { RegionScope } from '../../platform/http/context.ts';
import type { AddressProvider, RegionAddresses } from '../networking/addresses/index.ts';
import type { SecretReader } from '../secrets/index.ts';
import { desiredOf } from './desired.ts';
import { secretIdsOf } from './desired-tls.ts';
import { type LoadBalancerTree, type Vips, withoutDeleted } from './model.ts';
import type { DesiredLoadBalancer, LoadBalancerProvider } from './port.ts';

/** How long the answer to "can you serve?" is believed. */
const BELIEVED_MS = 5000;

interface Probe {
  readonly at: number;
  readonly reason: Promise<string | null>;
}

/** Which regions this node works on. */
export interface Owners {
  serves(regionId: number): boolean;
  /** Why the node that works on the region cannot serve it, or null; undefined when that node is this one. */
  faultElsewhere(regionId: number): Promise<string | null | undefined>;
}

const EVERYBODYS: Owners = { serves: () => true, faultElsewhere: async () => undefined };

export interface DataPlanesOptions {
  providerOf(regionId: number): LoadBalancerProvider | undefined;
  addressesOf(regionId: number): AddressProvider | undefined;
  regionIds(): readonly number[];
  readonly now: () => number;
  readonly secrets: SecretReader;
  /** Absent: this is the only node. */
  readonly owners?: Owners;
}

/** The data planes of the regions. */
export class DataPlanes {
  /** Who gives load balancers their addresses. */
  readonly addresses: RegionAddresses;
  readonly #options: DataPlanesOptions;
  readonly #owners: Owners;
  readonly #probes = new Map<number, Probe>();

  constructor(options: DataPlanesOptions) {
    this.#options = options;
    this.#owners = options.owners ?? EVERYBODYS;
    this.addresses = { providerOf: (id) => options.addressesOf(id), owners: this.#owners };
  }

  regionIds(): readonly number[] {
    return this.#options.regionIds();
  }

  /** Opens what listeners and pools need; only what serves with it may ask. */
  get secrets(): SecretReader {
    return this.#options.secrets;
  }

  /** What a task's data plane shall serve, with certificates in the clear.
   *  @throws TaskFailed when one of them cannot be opened */
  async desired(db: Queryable, tree: LoadBalancerTree, vips: Vips): Promise<DesiredLoadBalancer> {
    const ids = secretIdsOf(withoutDeleted(tree));
    const secrets = await this.secrets.open(db, ids);
    const missing = ids.find((id) => !secrets.has(id));
    if (missing !== undefined) {
      throw new TaskFailed(`Secret ${missing} cannot be opened: it is damaged, or its master key is gone`);
    }
    return desiredOf(tree, vips, secrets);
  }

  /** Whether another node works on the region. */
  async isElsewhere(regionId: number): Promise<boolean> {
    return (await this.#owners.faultElsewhere(regionId)) !== undefined;
  }

  of(regionId: number): LoadBalancerProvider | undefined {
    return this.#options.providerOf(regionId);
  }

  /** For a write.
   *  @throws NotOffered with the reason when the region cannot serve load balancers here and now */
  async require(region: RegionScope): Promise<void> {
    const reason = await this.unavailable(region.id);
    if (reason !== null)
      throw new NotOffered(`Load balancers are not available in region ${region.name}: ${reason}`);
  }

  /** For a task.
   *  @throws TaskFailed when the region has lost its data plane */
  forTask(regionId: number | null): LoadBalancerProvider {
    const provider = regionId === null ? undefined : this.of(regionId);
    if (!provider) throw new TaskFailed(`Region ${regionId} has nothing that serves load balancers`);
    return provider;
  }

  /** Why the region cannot serve load balancers, or null. */
  async unavailable(regionId: number): Promise<string | null> {
    const provider = this.of(regionId);
    if (!provider) return 'nothing serves them there';
    const now = this.#options.now();
    const known = this.#probes.get(regionId);
    if (known && now - known.at < BELIEVED_MS) return known.reason;
    const reason = this.#askWhoServes(regionId, provider);
    this.#probes.set(regionId, { at: now, reason });
    // A probe that failed is no answer: the next caller asks again.
    reason.catch(() => this.#probes.delete(regionId));
    return reason;
  }

  /** A program that is missing here may be on the machine of the node that works on the region. */
  async #askWhoServes(regionId: number, provider: LoadBalancerProvider): Promise<string | null> {
    const elsewhere = await this.#owners.faultElsewhere(regionId);
    return elsewhere === undefined ? provider.unavailable() : elsewhere;
  }

  /** Regions whose data plane changes by itself. */
  liveIds(): readonly number[] {
    return this.regionIds().filter((id) => {
      const provider = this.of(id);
      return provider !== undefined && !provider.passive;
    });
  }

  /** Data planes that change by themselves, that can be asked, and that are this node's to work on. */
  async live(): Promise<[number, LoadBalancerProvider][]> {
    const found: [number, LoadBalancerProvider][] = [];
    for (const regionId of this.liveIds()) {
      const provider = this.of(regionId);
      if (!provider || !this.#owners.serves(regionId) || (await this.unavailable(regionId)) !== null)
        continue;
      if ((await provider.mayLook?.()) ?? true) {
        found.push([regionId, provider]);
      }
    }
    return found;
  }
}

import type {
  ListenerStats,
  LoadBalancerVersion,
  MemberHealth,
  ObservedLoadBalancer,
} from '../../features/load-balancers/port.ts';
import type { Logger } from '../../kernel/log.ts';
import { grown, statsOf } from './counters.ts';
import type { KeyManager } from './key-manager.ts';
import type { EngineObject, EngineObjects, KeptCounters } from './marks.ts';
import type { Neutron } from './neutron.ts';
import type { LoadBalancerLine, Octavia } from './octavia.ts';
import { SecretLook } from './secret-look.ts';
import type { Session } from './session.ts';
import type { OpenStackSettings } from './settings.ts';
import { isDue } from './spread.ts';

/** How often lists are read. */
const EVERY_MS = 15_000;
/** After a look that failed. */
const AGAIN_MS = 15_000;
/** Complete looks in which something was missing, before it counts as deleted. */
const LOOKS = 2;
/** A list in which more than this share of what was there is missing is not believed, unless it is that few. */
const SHARE = 0.05;
const FEW = 2;
/** Listeners whose counters are read in one look. */
const COUNTED_AT_ONCE = 20;
const SICK = ['DEGRADED', 'ERROR', 'DRAINING'];
const HEALTH = ['ONLINE', 'ERROR', 'DRAINING', 'NO_MONITOR', 'OFFLINE'];

export interface LookOptions {
  readonly octavia: Octavia;
  readonly neutron: Neutron;
  readonly keyManager: Pick<KeyManager, 'all'>;
  readonly session: Session;
  readonly objects: EngineObjects;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
  readonly settings: Pick<OpenStackSettings, 'drift'>;
}

interface Seen {
  readonly at: number;
  readonly version: number;
  readonly members: ReadonlyMap<string, MemberHealth>;
}

/** What was seen of a region's load balancers: a list each 15 s for all of them, and single reads only of what is sick,
 *  or has changed. */
export class Look {
  readonly #options: LookOptions;
  #seen = new Map<string, Seen>();
  #objects: ReadonlyMap<string, EngineObject> = new Map();
  #lines: ReadonlyMap<string, LoadBalancerLine> = new Map();
  #ports: ReadonlySet<string> = new Set();
  #floating: ReadonlyMap<string, string | null> = new Map();
  readonly #secrets: SecretLook;
  readonly #missing = new Map<string, number>();
  readonly #active = new Map<string, number>();
  readonly #countedAt = new Map<string, number>();
  readonly #wholeAt = new Map<string, number>();
  #running: Promise<void> | undefined;
  #nextAt = 0;
  #lastError: unknown;
  #isNew = false;

  constructor(options: LookOptions) {
    this.#options = options;
    this.#secrets = new SecretLook(options);
  }

  /** Whether the region could not be asked, and it is too early to ask again: that was said once. */
  get hasJustFailed(): boolean {
    return this.#lastError !== undefined && this.#options.now() < this.#nextAt;
  }

  /** What a task has just made true needs no look. */
  settled(id: string, object: EngineObject): void {
    const members = this.#seen.get(id)?.members ?? new Map();
    this.#seen.set(id, { at: this.#options.now(), version: object.facts.version ?? 0, members });
    this.#objects = new Map([...this.#objects, [id, object]]);
    this.#missing.delete(id);
    this.#wholeAt.set(id, this.#options.now());
  }

  forget(id: string): void {
    this.#seen.delete(id);
    this.#missing.delete(id);
  }

  /** @throws when the region cannot be asked */
  async observed(ids: readonly string[]): Promise<ReadonlyMap<string, ObservedLoadBalancer>> {
    const isFresh = ids.every((id) => (this.#seen.get(id)?.at ?? 0) > this.#options.now() - EVERY_MS);
    if (!isFresh) await this.#look();
    return new Map(
      ids.flatMap((id) => {
        const seen = this.#seen.get(id);
        if (!seen) return [];
        const { version, members } = seen;
        return [[id, { version, members, lastChecks: new Map(), listenerStats: this.#statsOf(id) }] as const];
      }),
    );
  }

  /** Those that may not be as they should be, by what the lists say.
   *  @throws when the region cannot be asked */
  async due(versions: readonly LoadBalancerVersion[]): Promise<readonly string[]> {
    await this.#look();
    if (!this.#isNew) return [];
    this.#isNew = false;
    const listed = new Set(versions.map(({ id }) => id));
    const lacking = new Set(this.#secrets.takeLacking());
    const surplus = [...this.#objects.keys()].filter((id) => !listed.has(id));
    return [
      ...surplus,
      ...this.#missed(versions),
      ...versions.filter((each) => lacking.has(each.id) || this.#differs(each)).map(({ id }) => id),
    ];
  }

  /** What has vanished from the cloud, after two complete looks. */
  #missed(versions: readonly LoadBalancerVersion[]): readonly string[] {
    const known = versions.filter(({ id }) => this.#objects.has(id));
    const gone = known.filter(({ id }) => !this.#lines.has(this.#objects.get(id)?.engineId ?? ''));
    for (const id of [...this.#missing.keys()])
      if (!gone.some((each) => each.id === id)) this.#missing.delete(id);
    if (gone.length > Math.max(FEW, known.length * SHARE)) {
      this.#options.log.warn(
        { missing: gone.length, known: known.length },
        'most likely the cloud did not say all: nothing is made anew while so many load balancers are missing',
      );
      return [];
    }
    for (const { id } of gone) this.#missing.set(id, (this.#missing.get(id) ?? 0) + 1);
    return gone.map(({ id }) => id).filter((id) => (this.#missing.get(id) ?? 0) >= LOOKS);
  }

  get #keeps(): boolean {
    return this.#options.settings.drift === 'keep';
  }

  #differs({ id, version }: LoadBalancerVersion): boolean {
    const object = this.#objects.get(id);
    if (!object) return true;
    const line = this.#lines.get(object.engineId);
    if (!line || line.provisioning_status.startsWith('PENDING')) return false;
    const { facts } = object;
    return (
      line.provisioning_status === 'ERROR' ||
      (facts.version ?? 0) < version ||
      (!this.#keeps && line.updated_at !== facts.updatedAt) ||
      !this.#ports.has(facts.portId ?? '') ||
      (facts.floating ?? []).some((address) => this.#floating.get(address) !== facts.portId) ||
      (!this.#keeps && isDue(this.#wholeAt, id, this.#options.now()))
    );
  }

  #look(): Promise<void> {
    if (this.#running) return this.#running;
    const { now } = this.#options;
    if (now() < this.#nextAt) return this.#lastError ? Promise.reject(this.#lastError) : Promise.resolve();
    this.#running = this.#read()
      .then(
        () => {
          this.#lastError = undefined;
          this.#nextAt = now() + EVERY_MS;
          this.#isNew = true;
        },
        (error) => {
          this.#lastError = error;
          this.#nextAt = now() + AGAIN_MS;
          throw error;
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #read(): Promise<void> {
    const { octavia, neutron, session, objects, now } = this.#options;
    const { projectId } = await session.identity();
    const [lines, ports, floating, known] = await Promise.all([
      octavia.lines(projectId),
      neutron.portIds(projectId),
      neutron.floatingTargets(projectId),
      objects.all('load_balancer'),
    ]);
    const at = now();
    this.#lines = new Map(lines.map((line) => [line.id, line]));
    this.#ports = ports;
    this.#floating = floating;
    this.#objects = known;
    const before = this.#seen;
    this.#seen = new Map();
    for (const [id, { engineId, facts }] of known) {
      const line = this.#lines.get(engineId);
      if (!line) continue;
      const members = await this.#members(line, facts.parts ?? {}, before.get(id));
      const version = line.provisioning_status === 'ERROR' ? -1 : (facts.version ?? -1);
      this.#seen.set(id, { at, version, members });
    }
    await this.#count();
    await this.#secrets.look(known);
  }

  /** Members are asked about only where something is wrong, and once more after that. */
  async #members(
    line: LoadBalancerLine,
    parts: Readonly<Record<string, string>>,
    before: Seen | undefined,
  ): Promise<ReadonlyMap<string, MemberHealth>> {
    const wasSick = [...(before?.members.values() ?? [])].includes('ERROR');
    if (!SICK.includes(line.operating_status) && !wasSick) return new Map();
    const health = await this.#options.octavia.memberHealth(line.id);
    return new Map(
      [...health].flatMap(([engineId, status]) => {
        const id = parts[engineId];
        return id && HEALTH.includes(status) ? [[id, status as MemberHealth] as const] : [];
      }),
    );
  }

  /** The counters that were read the longest time ago. */
  async #count(): Promise<void> {
    const { octavia, objects, now } = this.#options;
    const listeners = [...this.#objects].flatMap(([id, object]) =>
      Object.entries(object.facts.parts ?? {}).map(([engineId, part]) => ({ id, object, engineId, part })),
    );
    const next = listeners
      .filter(({ object, engineId }) => object.facts.listeners?.includes(engineId))
      .sort((one, other) => (this.#countedAt.get(one.part) ?? 0) - (this.#countedAt.get(other.part) ?? 0))
      .slice(0, COUNTED_AT_ONCE);
    const changed = new Map<string, { object: EngineObject; counters: Record<string, KeptCounters> }>();
    for (const { id, object, engineId, part } of next) {
      const stats = await octavia.listenerStats(engineId);
      this.#countedAt.set(part, now());
      if (!stats) continue;
      this.#active.set(part, stats.active_connections);
      const kept = object.facts.counters?.[part];
      const counted = grown(kept, engineId, stats);
      if (JSON.stringify(counted) === JSON.stringify(kept)) continue;
      const of = changed.get(id) ?? { object, counters: Object.assign({}, object.facts.counters) };
      of.counters[part] = counted;
      changed.set(id, of);
    }
    for (const [id, { counters }] of changed) {
      await objects.saveCounters('load_balancer', id, counters);
      const object = this.#objects.get(id);
      if (object) this.#objects = new Map(this.#objects).set(id, withCounters(object, counters));
    }
  }

  #statsOf(id: string): ReadonlyMap<string, ListenerStats> {
    const counters = Object.entries(this.#objects.get(id)?.facts.counters ?? {});
    return new Map(counters.map(([part, kept]) => [part, statsOf(kept, this.#active.get(part) ?? 0)]));
  }
}

function withCounters(object: EngineObject, counters: Readonly<Record<string, KeptCounters>>): EngineObject {
  const facts = Object.assign({}, object.facts, { counters });
  return { engineId: object.engineId, facts };
}

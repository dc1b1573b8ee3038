import type {
  DesiredLoadBalancer,
  LoadBalancerProvider,
  LoadBalancerVersion,
  ObservedLoadBalancer,
  UnservablePart,
} from '../../features/load-balancers/port.ts';
import type { DesiredNow } from '../../kernel/desired.ts';
import { messageOf, TaskFailed } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Operation, type Progress, READY } from '../../kernel/operation.ts';
import { OVN, unservable } from './abilities.ts';
import { type Found, type FoundTree, nextCall } from './converge.ts';
import { EngineFault } from './faults.ts';
import { idOfSecret, type KeptSecrets, KeyManager } from './key-manager.ts';
import { Look } from './look.ts';
import { adopt, type EngineFacts, type EngineObject, type EngineObjects, markedId, markOf } from './marks.ts';
import { Neutron } from './neutron.ts';
import { Nouns } from './nouns.ts';
import type { EngineSubnets } from './objects.ts';
import { Octavia } from './octavia.ts';
import type { Session } from './session.ts';
import type { OpenStackSettings } from './settings.ts';
import { isTemporary, pauseOf, step } from './steps.ts';
import { type SecretRefs, secretsOf } from './tls.ts';

/** By this name of its port OVN knows the load balancer that a floating IP leads to. */
const VIP_OF_OVN = 'ovn-lb-vip-';
const NO_RESIZE = 'A load balancer of this region cannot be resized: create another one';
const FAILOVER = 'failover_loadbalancer';
/** Load balancers that are looked at side by side; the session has no room for more calls. */
const SIDE_BY_SIDE = 4;

export interface OpenStackOptions {
  readonly settings: OpenStackSettings;
  readonly session: Session;
  readonly objects: EngineObjects;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Notes what of a load balancer somebody else had changed. */
  readonly repaired?: (loadBalancerId: string, what: string) => Promise<void>;
  readonly publicImages: () => Promise<PublicImages>;
  /** Whether this node looks at the region by itself. */
  readonly mayLook: () => Promise<boolean>;
}

/** The cloud's ids of the images that every project sees, by their ids here; null: the region's entry does not name it
 *  any more. */
export type PublicImages = ReadonlyMap<string, string | null>;

/** Load balancers of Octavia. Nothing waits in here: each call does one step, and says when to ask again. */
export class OpenStackLoadBalancers implements LoadBalancerProvider {
  readonly resizeFault = NO_RESIZE;
  readonly #options: OpenStackOptions;
  readonly #octavia: Octavia;
  readonly #neutron: Neutron;
  readonly #nouns: Nouns;
  readonly #keyManager: KeyManager;
  readonly #look: Look;
  /** What is being brought back to what is desired. */
  readonly #due = new Set<string>();

  constructor(options: OpenStackOptions) {
    this.#options = options;
    this.#octavia = new Octavia(options.session);
    this.#neutron = new Neutron(options.session, options.settings);
    this.#nouns = new Nouns(options.session, options.objects);
    this.#keyManager = new KeyManager(options.session);
    const asked = { octavia: this.#octavia, neutron: this.#neutron, keyManager: this.#keyManager };
    this.#look = new Look({ ...options, ...asked });
  }

  mayLook = async (): Promise<boolean> => !this.#look.hasJustFailed && (await this.#options.mayLook());

  /** A cloud that does not answer accepts work all the same: its tasks wait. */
  async unavailable(): Promise<string | null> {
    return null;
  }

  unservable(desired: DesiredLoadBalancer): readonly UnservablePart[] {
    return unservable(desired, this.#options.settings);
  }

  async apply(desired: DesiredLoadBalancer, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const failover = operation.type === FAILOVER ? operation.key : undefined;
      const next = await this.#converge(desired, failover);
      return next === null ? READY : this.#later(operation, next);
    });
  }

  async remove(id: string, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const next = await this.#remove(id);
      return next === null ? READY : this.#later(operation, next);
    });
  }

  async observe(ids: readonly string[]): Promise<ReadonlyMap<string, ObservedLoadBalancer>> {
    return this.#look.observed(ids);
  }

  async reconcile(
    versions: readonly LoadBalancerVersion[],
    desired: DesiredNow<DesiredLoadBalancer>,
  ): Promise<void> {
    for (const id of await this.#look.due(versions)) this.#due.add(id);
    const due = [...this.#due];
    for (let from = 0; from < due.length; from += SIDE_BY_SIDE) {
      await Promise.all(due.slice(from, from + SIDE_BY_SIDE).map((id) => this.#reconcile(id, desired)));
    }
  }

  /** One step towards what is desired now. */
  async #reconcile(id: string, desired: DesiredNow<DesiredLoadBalancer>): Promise<void> {
    const { log, objects } = this.#options;
    try {
      const now = await desired(id);
      const next =
        now === undefined ? null : now === null ? await this.#remove(id) : await this.#converge(now);
      if (next === null) this.#due.delete(id);
      else if (next.isChange) {
        log.warn({ loadBalancer: id }, `repaired in the cloud: ${next.what}`);
        const known = now ? await objects.find('load_balancer', id) : undefined;
        // What was never made true was not changed by somebody else.
        if (known?.facts.version === now?.version && now) await this.#options.repaired?.(id, next.what);
      }
    } catch (error) {
      if (!isTemporary(error)) this.#due.delete(id);
      log.warn({ err: error, loadBalancer: id }, `a load balancer is not as desired: ${messageOf(error)}`);
    }
  }

  /** The next step; null: all is as desired. */
  async #converge(desired: DesiredLoadBalancer, failover?: string): Promise<Step | null> {
    const { settings, objects } = this.#options;
    const [refused] = this.unservable(desired);
    if (refused) throw new TaskFailed(`${refused.kind} ${refused.field} ${refused.reason}`);
    const port = await this.#vipPort(desired);
    const loadBalancer = await this.#find(desired.id);
    if (!loadBalancer) {
      const its = {
        name: `virga-${desired.id}`,
        tags: [markOf(desired.id)],
        vip_port_id: port.id,
        admin_state_up: desired.adminStateUp,
        provider: settings.load_balancers?.provider,
        flavor_id: this.#flavorOf(desired),
      };
      await this.#octavia.create(Object.assign(its, await this.#additionalVip(desired)));
      return change('load balancer: new');
    }
    if (isPending(loadBalancer)) return WAITING;
    if (loadBalancer.provisioning_status === 'ERROR' || loadBalancer.vip_port_id !== port.id) {
      // It takes no change any more. Its address is the port's, which stays.
      await this.#octavia.remove(loadBalancer.id);
      return change('load balancer: made anew, on the same address');
    }
    this.#refuseResize(desired, loadBalancer);
    const before = await objects.find('load_balancer', desired.id);
    if (failover !== undefined && before?.facts.failover !== failover) {
      await this.#octavia.failover(loadBalancer.id);
      await objects.save('load_balancer', desired.id, {
        engineId: loadBalancer.id,
        facts: Object.assign({}, before?.facts, { failover }),
      });
      return change('load balancer: failover');
    }
    const secrets = await this.#keep(desired, loadBalancer.id, before);
    if (secrets && secrets.made > 0) return change(`secrets: ${secrets.made} new`);
    const tree = await this.#octavia.tree(loadBalancer);
    const subnets = await this.#subnetsOf(desired);
    const call = nextCall(desired, tree, settings.load_balancers, { subnets, refs: secrets?.refs });
    if (call) {
      await this.#octavia.do(call);
      return change(call.what);
    }
    if (partsOf(tree).some(isPending)) return WAITING;
    if (settings.load_balancers?.provider === OVN && port.name !== `${VIP_OF_OVN}${loadBalancer.id}`) {
      // It hears of floating IPs that come after that alone.
      for (const each of await this.#neutron.floatingIpsOf(port.id)) await this.#neutron.lead(each.id, null);
      await this.#neutron.rename(port.id, `${VIP_OF_OVN}${loadBalancer.id}`);
      return change('port of its address: name');
    }
    const floating = await this.#floating(desired, port.id);
    if (floating) return floating;
    for (const each of secrets?.surplus ?? []) await this.#keyManager.remove(each);
    await this.#settle(desired, tree, { portId: port.id, refs: secrets?.refs }, before?.facts);
    return null;
  }

  async #settle(
    desired: DesiredLoadBalancer,
    { loadBalancer, listeners, pools }: FoundTree,
    { portId, refs = new Map() }: { readonly portId: string; readonly refs: SecretRefs | undefined },
    before: EngineFacts | undefined,
  ): Promise<void> {
    const named = [...listeners, ...pools.flatMap(({ members }) => members)];
    const parts = Object.fromEntries(named.map((each) => [each.id, markedId(each) ?? '']));
    const facts: EngineFacts = {
      version: desired.version,
      updatedAt: String(loadBalancer.updated_at ?? ''),
      portId,
      floating: floatingOf(desired, this.#options.settings),
      listeners: listeners.map((each) => each.id),
      parts,
      secretIds: [...refs.values()].map(idOfSecret),
      ...(before?.failover === undefined ? {} : { failover: before.failover }),
      ...(before?.counters === undefined ? {} : { counters: before.counters }),
      ...(secretsOf(desired).length > 0 ? { secrets: true } : {}),
    };
    const object = { engineId: loadBalancer.id, facts };
    await this.#options.objects.save('load_balancer', desired.id, object);
    this.#look.settled(desired.id, object);
  }

  /** What the key manager keeps for it; undefined: the region has none. That it may keep something is noted before. */
  async #keep(
    desired: DesiredLoadBalancer,
    engineId: string,
    before: EngineObject | undefined,
  ): Promise<KeptSecrets | undefined> {
    const { settings, objects } = this.#options;
    if (!settings.load_balancers?.key_manager) return undefined;
    const isWanted = secretsOf(desired).length > 0;
    if (!isWanted && !before?.facts.secrets) return { refs: new Map(), made: 0, surplus: [] };
    if (!before?.facts.secrets) {
      const facts = Object.assign({}, before?.facts, { secrets: true });
      await objects.save('load_balancer', desired.id, { engineId, facts });
    }
    return this.#keyManager.keep(desired);
  }

  /** Deletes what the key manager keeps for it. */
  async #forgetSecrets(id: string): Promise<void> {
    const { settings, objects, session } = this.#options;
    const mayHave = (await objects.find('load_balancer', id))?.facts.secrets;
    if (!mayHave && !settings.load_balancers?.key_manager) return;
    if (session.lacks('key-manager')) return;
    for (const each of await this.#keyManager.ids(id)) await this.#keyManager.remove(each);
  }

  /** The port of its virtual address, which is made first and stays when what it belongs to is made anew.
   *  @throws TaskFailed when something else in the cloud has the address */
  async #vipPort(desired: DesiredLoadBalancer) {
    const { id, vipAddress, vipSubnetId } = desired;
    const subnet = vipSubnetId ? await this.#nouns.engineId({ kind: 'subnet', id: vipSubnetId }) : undefined;
    if (vipSubnetId && subnet === undefined)
      throw new EngineFault('missing', 404, `subnet ${vipSubnetId} is not there in the cloud`);
    const second = await this.#secondVip(desired);
    const there = await this.#neutron.portAt(vipAddress, subnet);
    const has = there?.fixed_ips.some(({ ip_address: address }) => address === second?.ip_address);
    if (there && (!second || has)) return there;
    try {
      const port = there ?? (await this.#neutron.ensurePort(id, vipAddress, subnet));
      if (second) await this.#neutron.addAddress(port, second.subnet_id, second.ip_address);
      return port;
    } catch (error) {
      if (!(error instanceof EngineFault) || error.kind !== 'conflict') throw error;
      const all = [vipAddress, ...(second ? [second.ip_address] : [])].join(' or ');
      throw new TaskFailed(`${all} is in use by something else in the cloud: ${error.message}`);
    }
  }

  /** The second virtual address, of IPv6, as the cloud says it. */
  async #secondVip({ additionalSubnetId, extraAddresses }: DesiredLoadBalancer) {
    const ip_address = extraAddresses.find((address) => address.includes(':'));
    if (!additionalSubnetId || ip_address === undefined) return undefined;
    const subnet_id = await this.#nouns.engineId({ kind: 'subnet', id: additionalSubnetId });
    if (subnet_id === undefined)
      throw new EngineFault('missing', 404, `subnet ${additionalSubnetId} is not there in the cloud`);
    return { subnet_id, ip_address };
  }

  /** Of a port with two addresses Octavia must be told which is the first. */
  async #additionalVip(desired: DesiredLoadBalancer): Promise<object> {
    const second = await this.#secondVip(desired);
    return second ? { vip_address: desired.vipAddress, additional_vips: [second] } : {};
  }

  /** The cloud's ids of the subnets that members name. */
  async #subnetsOf({ pools }: DesiredLoadBalancer): Promise<EngineSubnets> {
    const named = pools.flatMap(({ members }) => members.flatMap(({ subnetId }) => subnetId ?? []));
    const found = new Map<string, string>();
    for (const id of new Set(named)) {
      const engineId = await this.#nouns.engineId({ kind: 'subnet', id });
      if (engineId !== undefined) found.set(id, engineId);
    }
    return found;
  }

  async #find(id: string): Promise<Found | undefined> {
    const known = await this.#options.objects.find('load_balancer', id);
    const found = known && (await this.#octavia.find(known.engineId));
    if (found) return found;
    const { adopted, surplus } = adopt(await this.#octavia.findMarked(id));
    for (const each of surplus) if (!isPending(each)) await this.#octavia.remove(each.id);
    return adopted;
  }

  async #remove(id: string): Promise<Step | null> {
    const all = await this.#octavia.findMarked(id);
    for (const each of all) if (!isPending(each)) await this.#octavia.remove(each.id);
    if (all.length > 0) return change('load balancer: deleted');
    for (const port of await this.#neutron.portsMarked(id)) await this.#neutron.removePort(port.id);
    await this.#forgetSecrets(id);
    await this.#options.objects.forget(id);
    this.#look.forget(id);
    return null;
  }

  /** Which floating IPs lead to its port, one step at a time. */
  async #floating(desired: DesiredLoadBalancer, portId: string): Promise<Step | null> {
    const addresses = floatingOf(desired, this.#options.settings);
    for (const each of await this.#neutron.floatingIpsOf(portId)) {
      if (addresses.includes(each.floating_ip_address) || markedId(each) === null) continue;
      await this.#neutron.lead(each.id, null);
      return change(`floating IP ${each.floating_ip_address}: leads elsewhere`);
    }
    for (const address of addresses) {
      const found = await this.#neutron.floatingIpAt(address);
      if (!found) throw new TaskFailed(`Floating IP ${address} is not there in the cloud any more`);
      if (found.port_id === portId) continue;
      await this.#neutron.lead(found.id, portId);
      return change(`floating IP ${address}: leads here`);
    }
    return null;
  }

  #flavorOf({ flavor }: DesiredLoadBalancer): string | undefined {
    const flavors = this.#options.settings.load_balancers?.flavors;
    const id = flavors?.[flavor.name];
    if (flavors && id === undefined)
      throw new TaskFailed(`Flavor ${flavor.name} is not available in this region`);
    return id;
  }

  /** @throws TaskFailed */
  #refuseResize(desired: DesiredLoadBalancer, found: Found): void {
    if ((found.flavor_id ?? undefined) === this.#flavorOf(desired)) return;
    throw new TaskFailed(NO_RESIZE);
  }

  #later(operation: Operation, { what }: Step): Progress {
    return { ready: false, retryInMs: pauseOf(operation, this.#options.now()), step: what };
  }
}

/** What a look or a task has done, for people. */
interface Step {
  readonly what: string;
  readonly isChange: boolean;
}

const WAITING: Step = { what: 'waiting for the load balancer', isChange: false };
const change = (what: string): Step => ({ what, isChange: true });

const isPending = ({ provisioning_status: status }: Pick<Found, 'provisioning_status'>) =>
  status.startsWith('PENDING');

const partsOf = ({ listeners, pools }: FoundTree): readonly Found[] => [
  ...listeners,
  ...pools.flatMap(({ pool, members, monitor }) => [pool, ...members, ...(monitor ? [monitor] : [])]),
];

/** Those of its further addresses that are floating IPs of the cloud, which all are of IPv4. */
function floatingOf({ extraAddresses }: DesiredLoadBalancer, { external }: OpenStackSettings): string[] {
  return external ? extraAddresses.filter((address) => !address.includes(':')) : [];
}

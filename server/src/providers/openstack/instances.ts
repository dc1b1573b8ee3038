import type {
  DesiredInstance,
  FirstBoot,
  InstanceConsole,
  InstanceProvider,
  InstanceUse,
  ObservedInstance,
  SeenInstance,
} from '../../features/instances/port.ts';
import { Conflict, TaskFailed } from '../../kernel/errors.ts';
import { type Operation, type Progress, READY } from '../../kernel/operation.ts';
import { type SeriesWindow, timesIn } from '../../kernel/series.ts';
import { goneOf } from './conditions.ts';
import { digestOf } from './digest.ts';
import { EngineFault } from './faults.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import { NewServer } from './new-server.ts';
import { ServerLines } from './server-lines.ts';
import { nextOf, type Server, type ServerCall } from './server-steps.ts';
import { pauseOf, step } from './steps.ts';
import { Stored } from './stored.ts';
import { StoredLook } from './stored-look.ts';

const NO_ROOM = /quota|no valid host/i;
const CONSOLES: Readonly<Record<string, string>> = {
  novnc: 'vnc',
  xvpvnc: 'vnc',
  serial: 'serial',
  'spice-html5': 'spice',
};

/** Instances of Nova, which boot from volumes and have ports that were made here. Nothing waits in here: each call does
 *  one step, and says when to ask again. What somebody else has deleted there is never made anew. */
export class OpenStackInstances implements InstanceProvider {
  readonly flavors: readonly string[];
  readonly regroupFault =
    'An instance of this region cannot join or leave a server group later: name the group when it is created';
  readonly #options: OpenStackOptions;
  readonly #stored: Stored;
  readonly #new: NewServer;
  readonly #look: StoredLook;
  /** Names of the cloud's flavors, which servers say, by their ids. */
  readonly #names = new Map<string, string>();

  constructor(options: OpenStackOptions) {
    this.#options = options;
    this.#stored = new Stored(options.session, options.objects);
    this.#new = new NewServer(options, this.#stored);
    const lines = new ServerLines(this.#stored, options.now);
    this.#look = new StoredLook(options, 'instance', () => lines.read());
    this.flavors = Object.keys(options.settings.instances?.flavors ?? {});
  }

  mayLook = async (): Promise<boolean> => !this.#look.hasJustFailed && (await this.#options.mayLook());

  async observe(
    ids: readonly string[],
    failing?: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, SeenInstance>> {
    const { gone, states } = await this.#look.observed(ids, failing);
    const failed = gone.map((id) => [id, { failed: goneOf('instance') }] as const);
    const others = [...states].flatMap(([id, status]) => {
      const seen = SEEN[status];
      return seen ? [[id, seen] as const] : [];
    });
    return new Map([...failed, ...others]);
  }

  async applyInstance(
    desired: DesiredInstance,
    first: FirstBoot | null,
    operation: Operation,
  ): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const { there, isKnown, facts } = await this.#stored.find('instance', desired.id);
      if (!there) {
        if (!first || isKnown) throw new TaskFailed(goneOf('instance'));
        await this.#new.create(desired, first);
        return this.#later(operation, 'the instance is building');
      }
      const server = there as unknown as Server;
      if (server.status === 'ERROR' && first) this.#refuseFailed(desired.id, server);
      const goal = {
        flavorId: this.#new.flavorOf(desired.flavor.id),
        flavorName: await this.#nameOf(this.#new.flavorOf(desired.flavor.id)),
        power: desired.power,
        restarts: desired.boots > (facts.boots ?? 0),
        isSoft: operation.type === 'soft_reboot_vm',
        hasRevived: facts.revived === operation.key,
        ports: await this.#new.portsOf(desired),
        volumes: await this.#new.volumesOf(desired),
      };
      const next = nextOf(goal, server, await this.#portsOf(server));
      if (next === null) {
        await this.#stored.save('instance', desired.id, server.id, { boots: desired.boots });
        if (first) await this.#new.settled(desired.id);
        return READY;
      }
      const { method, path, body } = next;
      if (method === null) return this.#later(operation, next.says);
      const asked = `${operation.key} ${digestOf({ method, path, body })}`;
      const isRepeated = facts.asked === asked;
      // It has begun when Nova takes it, and is over: Nova says nothing when it does not succeed.
      if (isRepeated && next.resizes) await this.#refuseResize(desired.id, server);
      await this.#call(server, next, isRepeated);
      if (!isRepeated) {
        const boots = next.restarts ? desired.boots : (facts.boots ?? 0);
        const revived = next.revives ? operation.key : facts.revived;
        const noted = Object.assign({ boots, asked }, revived === undefined ? {} : { revived });
        await this.#stored.save('instance', desired.id, server.id, noted);
      }
      return this.#later(operation, next.says);
    });
  }

  async removeInstance(id: string, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const { there, facts } = await this.#stored.find('instance', id);
      if (!there) {
        await this.#new.removeRest(id, facts.groups ?? []);
        await this.#stored.forget(id);
        return READY;
      }
      const server = there as unknown as Server;
      const groups = server.server_groups ?? [];
      if (groups.length > 0)
        await this.#stored.save('instance', id, server.id, Object.assign({}, facts, { groups }));
      if (server['OS-EXT-STS:task_state'] !== 'deleting') await this.#stored.delete('instance', server.id);
      return this.#later(operation, 'the instance is deleting');
    });
  }

  async consoleOf(id: string, kind = 'novnc'): Promise<InstanceConsole> {
    const protocol = CONSOLES[kind];
    if (protocol === undefined)
      throw new Conflict(
        `There is no console ${kind}: it must be one of ${Object.keys(CONSOLES).join(', ')}`,
      );
    const engineId = await this.#stored.engineId('instance', id);
    if (engineId === undefined) throw new Conflict(goneOf('instance'));
    try {
      const answer = await this.#options.session.call(
        'compute',
        'POST',
        `/servers/${engineId}/remote-consoles`,
        { remote_console: { protocol, type: kind } },
      );
      return (answer as { remote_console: InstanceConsole }).remote_console;
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error;
      throw new Conflict(`The console of instance ${id} could not be opened: ${error.message}`);
    }
  }

  /** Only an administrator is told by Nova. */
  async readUse({ since, disks }: ObservedInstance, window: SeriesWindow): Promise<readonly InstanceUse[]> {
    return timesIn(window, since).map((at) => ({
      at,
      cpuUtil: null,
      memoryUtil: null,
      disks: disks.map((name) => ({ name, bytesRead: null, bytesWritten: null, reads: null, writes: null })),
      network: { bytesIn: null, bytesOut: null, packetsIn: null, packetsOut: null },
    }));
  }

  /** @throws TaskFailed with what Nova says of a server that never came to be */
  #refuseFailed(id: string, { fault }: Server): never {
    this.#refuse(id, 'make the instance', fault?.message);
  }

  /** @throws TaskFailed with what Nova has noted of the last change of size */
  async #refuseResize(id: string, server: Server): Promise<never> {
    const actions = `/servers/${server.id}/os-instance-actions`;
    const all = (await this.#options.session.call('compute', 'GET', actions)) as {
      readonly instanceActions: readonly { readonly action: string; readonly request_id: string }[];
    };
    const last = all.instanceActions.find(({ action }) => action === 'resize');
    const noted =
      last && (await this.#options.session.call('compute', 'GET', `${actions}/${last.request_id}`));
    const { events = [] } = (noted as { instanceAction: { events?: readonly ActionEvent[] } } | undefined)
      ?.instanceAction ?? { events: [] };
    this.#refuse(id, 'change the size of the instance', events.find(({ details }) => details)?.details);
  }

  /** @throws TaskFailed, and tells the operator */
  #refuse(id: string, what: string, reason: string | null | undefined): never {
    const says = reason ?? 'it says why to its administrators alone';
    const isFull = NO_ROOM.test(says);
    const told = isFull ? 'the region has no room' : `the cloud could not ${what}`;
    this.#options.log.warn({ instance: id }, `${told}: ${says}`);
    if (isFull) throw new TaskFailed(`The region has no room for it: ${says}`);
    throw new TaskFailed(`The cloud could not ${what}: ${says}`);
  }

  /** @param isRepeated Nova has taken the call already, and need not take it twice while it works on it */
  async #call({ id }: Server, { method, path, body }: ServerCall, isRepeated: boolean): Promise<void> {
    try {
      if (method !== null) await this.#options.session.call('compute', method, `/servers/${id}${path}`, body);
    } catch (error) {
      const isRefused = error instanceof EngineFault && error.kind === 'refused';
      if (!isRefused || !isRepeated) throw error;
    }
  }

  async #portsOf({ id }: Server): Promise<readonly string[]> {
    const answer = await this.#options.session.call('compute', 'GET', `/servers/${id}/os-interface`);
    const { interfaceAttachments: all } = answer as { interfaceAttachments: { port_id: string }[] };
    return all.map(({ port_id }) => port_id);
  }

  async #nameOf(flavorId: string): Promise<string> {
    const known = this.#names.get(flavorId);
    if (known !== undefined) return known;
    const answer = await this.#options.session.call('compute', 'GET', `/flavors/${flavorId}`);
    const { name } = (answer as { flavor: { name: string } }).flavor;
    this.#names.set(flavorId, name);
    return name;
  }

  #later(operation: Operation, what: string): Progress & { readonly ready: false } {
    return { ready: false, retryInMs: pauseOf(operation, this.#options.now()), step: what };
  }
}

interface ActionEvent {
  /** Why it failed. */
  readonly details: string | null;
}

/** What states of Nova say of an instance on which nobody here works; others pass by themselves. */
const SEEN: Readonly<Record<string, SeenInstance>> = {
  ACTIVE: { power: 'running' },
  SHUTOFF: { power: 'stopped' },
  SUSPENDED: { power: 'suspended' },
  ERROR: { failed: 'The cloud says that the instance is in ERROR: restart it, or delete it' },
};

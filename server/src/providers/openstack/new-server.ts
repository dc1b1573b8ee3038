import type { DesiredInstance, FirstBoot } from '../../features/instances/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { goneOf } from './conditions.ts';
import { absent, EngineFault } from './faults.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import { markOf } from './marks.ts';
import { Nouns } from './nouns.ts';
import { nameOf, type Stored } from './stored.ts';

/** What a server of Nova is made of, and what is made for it beside it: a key pair until it is there, and its group
 *  as long as it has members. */
export class NewServer {
  readonly #options: OpenStackOptions;
  readonly #stored: Stored;
  readonly #nouns: Nouns;

  constructor(options: OpenStackOptions, stored: Stored) {
    this.#options = options;
    this.#stored = stored;
    this.#nouns = new Nouns(options.session, options.objects);
  }

  async create(desired: DesiredInstance, first: FirstBoot): Promise<void> {
    const { id, serverGroup } = desired;
    const volumes = await this.volumesOf(desired);
    const ports = await this.portsOf(desired);
    const server = {
      name: nameOf(id),
      hostname: hostnameOf(first.hostname, id),
      flavorRef: this.flavorOf(desired.flavor.id),
      tags: [markOf(id)],
      networks: ports.map((port) => ({ port })),
      block_device_mapping_v2: volumes.map((uuid, index) => ({
        uuid,
        source_type: 'volume',
        destination_type: 'volume',
        boot_index: index === 0 ? 0 : -1,
        delete_on_termination: false,
      })),
    };
    const user_data = userDataOf(first);
    const secrets = Object.assign(
      user_data === null ? {} : { user_data },
      first.password === null ? {} : { adminPass: first.password },
      first.sshPublicKey === null ? {} : { key_name: await this.#keyPair(id, first.sshPublicKey) },
    );
    const hints = serverGroup ? { 'os:scheduler_hints': { group: await this.#group(serverGroup) } } : {};
    await this.#stored.create('instance', id, Object.assign({}, server, secrets), hints, {
      boots: desired.boots,
    });
  }

  /** Nova has copied the key. */
  async settled(id: string): Promise<void> {
    await absent(this.#options.session.call('compute', 'DELETE', `/os-keypairs/${nameOf(id)}`));
  }

  /** Removes what was made beside a server that is gone. @param groups the cloud's ids of those that it was in */
  async removeRest(id: string, groups: readonly string[]): Promise<void> {
    await this.settled(id);
    for (const group of groups) {
      const answer = await absent(this.#options.session.call('compute', 'GET', `/os-server-groups/${group}`));
      const its = (answer as { server_group: ServerGroup } | undefined)?.server_group;
      if (its?.name.startsWith(nameOf('')) && its.members.length === 0)
        await absent(this.#options.session.call('compute', 'DELETE', `/os-server-groups/${group}`));
    }
  }

  /** The cloud's id. @throws TaskFailed when the region has none of it */
  flavorOf(id: string): string {
    const its = this.#options.settings.instances?.flavors[id];
    if (its === undefined) throw new TaskFailed(`This region has no flavor ${id}`);
    return its;
  }

  async portsOf({ interfaces }: DesiredInstance): Promise<readonly string[]> {
    const ports: string[] = [];
    for (const { portId } of interfaces) {
      const port = await this.#nouns.engineId({ kind: 'port', id: portId });
      if (port === undefined) throw new EngineFault('missing', 404, `port ${portId} is not there yet`);
      ports.push(port);
    }
    return ports;
  }

  async volumesOf({ volumes }: DesiredInstance): Promise<readonly string[]> {
    const all: string[] = [];
    for (const id of volumes) {
      const volume = await this.#stored.engineId('volume', id);
      if (volume === undefined) throw new TaskFailed(goneOf('volume'));
      all.push(volume);
    }
    return all;
  }

  async #keyPair(id: string, public_key: string): Promise<string> {
    const name = nameOf(id);
    try {
      await this.#options.session.call('compute', 'POST', '/os-keypairs', {
        keypair: { name, type: 'ssh', public_key },
      });
    } catch (error) {
      // It is there: an answer was lost.
      if (!(error instanceof EngineFault) || error.kind !== 'conflict') throw error;
    }
    return name;
  }

  async #group({ id, policy }: { readonly id: string; readonly policy: string }): Promise<string> {
    const name = nameOf(id);
    const answer = await this.#options.session.call('compute', 'GET', '/os-server-groups');
    const { server_groups: all } = answer as { server_groups: readonly ServerGroup[] };
    const found = all.find((each) => each.name === name);
    if (found) return found.id;
    const made = await this.#options.session.call('compute', 'POST', '/os-server-groups', {
      server_group: { name, policy },
    });
    return (made as { server_group: ServerGroup }).server_group.id;
  }
}

interface ServerGroup {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
}

/** One that Nova takes: letters, digits and hyphens between them. */
export function hostnameOf(name: string, id: string): string {
  const plain = name.replace(/[^a-zA-Z0-9]+/g, '-').slice(0, 63);
  const trimmed = plain.replace(/^-+|-+$/g, '');
  return trimmed.length > 1 ? trimmed : `instance-${id.slice(0, 8)}`;
}

/** Base64; a password comes as a configuration of cloud-init, which is JSON, too. */
export function userDataOf({ userData, username, password }: FirstBoot): string | null {
  if (password === null) return userData?.replace(/\s/g, '') ?? null;
  const user = { name: username, plain_text_passwd: password, lock_passwd: false };
  const admin = { sudo: 'ALL=(ALL) NOPASSWD:ALL', shell: '/bin/bash' };
  const account =
    username === null
      ? { password, chpasswd: { expire: false } }
      : { users: ['default', Object.assign({}, user, admin)] };
  const text = `#cloud-config\n${JSON.stringify(Object.assign({ ssh_pwauth: true }, account))}\n`;
  return Buffer.from(text).toString('base64');
}

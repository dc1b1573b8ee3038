import {
  type DesiredSnapshot,
  type DesiredVolume,
  RESTORE_VOLUME,
  type VolumeProvider,
} from '../../features/volumes/port.ts';
import type { Watchable } from '../../kernel/condition.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { type Operation, type Progress, READY } from '../../kernel/operation.ts';
import { diskCondition, faultOfPublic, goneOf, NOT_OFFERED } from './conditions.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import { pauseOf, step } from './steps.ts';
import { type Found, type FoundObject, MARK_KEY, nameOf, Stored } from './stored.ts';

/** States in which Cinder works on a volume, and takes no other work. */
const BUSY = [
  'creating',
  'downloading',
  'attaching',
  'detaching',
  'reserved',
  'extending',
  'retyping',
  'uploading',
  'backing-up',
  'restoring-backup',
  'reverting',
  'maintenance',
  'deleting',
];
/** While an instance is made, its volumes are so, whether it comes or not: that is for the instance to say. */
const GETTING_ATTACHED = ['reserved', 'attaching'];
const NO_ROOM = /could not find any available|no valid|quota/i;

/** What a volume is made of, in the words of Cinder. */
interface VolumeSource {
  readonly imageRef?: string;
  readonly snapshot_id?: string;
}

type Waiting = Progress & { readonly ready: false };

/** Volumes and snapshots of Cinder. Nothing waits in here. What somebody else has deleted there is never made anew: what
 *  it held is gone. */
export class OpenStackVolumes implements VolumeProvider {
  readonly #options: OpenStackOptions;
  readonly #stored: Stored;
  readonly condition: Watchable;
  readonly snapshotCondition: Watchable;

  constructor(options: OpenStackOptions) {
    this.#options = options;
    this.#stored = new Stored(options.session, options.objects);
    this.condition = diskCondition(options, this.#stored, 'volume');
    this.snapshotCondition = diskCondition(options, this.#stored, 'snapshot');
  }

  async applyVolume(desired: DesiredVolume, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const found = await this.#stored.find('volume', desired.id);
      const { there } = found;
      // An instance that is deleted need not give back what is gone.
      if (!there && found.isKnown && operation.type === 'delete_vm') return READY;
      if (!there) return this.#create(desired, operation, found);
      const isMade = desired.attachment !== null && operation.type !== 'attach_volume';
      if (isMade && GETTING_ATTACHED.includes(there.status)) return READY;
      await this.#refuseFailed(there);
      if (BUSY.includes(there.status)) return this.#later(operation, `the volume is ${there.status}`);
      return (
        (await this.#grow(desired, there, operation)) ??
        (await this.#retype(desired, found, there, operation)) ??
        (await this.#attach(desired, there, operation)) ??
        READY
      );
    });
  }

  async removeVolume(id: string, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, () => this.#remove('volume', id, operation));
  }

  async applySnapshot({ id, volumeId }: DesiredSnapshot, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const { there, isKnown } = await this.#stored.find('snapshot', id);
      if (there?.status === 'available') return READY;
      if (there && there.status !== 'creating')
        throw new TaskFailed(`The snapshot is ${there.status} in the cloud${await this.#reason(there.id)}`);
      if (!there) {
        if (isKnown) throw new TaskFailed(goneOf('snapshot'));
        const volume_id = await this.#volume(volumeId);
        const fields = { name: nameOf(id), metadata: { [MARK_KEY]: id }, volume_id, force: true };
        await this.#stored.create('snapshot', id, fields);
      }
      return this.#later(operation, 'the snapshot is creating');
    });
  }

  async removeSnapshot(id: string, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, () => this.#remove('snapshot', id, operation));
  }

  async changeContents(
    { id, snapshotId }: { readonly id: string; readonly snapshotId: string },
    operation: Operation,
  ): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const { there, facts } = await this.#stored.find('volume', id);
      if (!there) throw new TaskFailed(goneOf('volume'));
      if (BUSY.includes(there.status)) return this.#later(operation, `the volume is ${there.status}`);
      const asked = `revert ${operation.key}`;
      if (facts.asked === asked && there.status === 'available') return READY;
      if (facts.asked === asked) throw new TaskFailed(`The volume is ${there.status} in the cloud`);
      const snapshot_id = await this.#stored.engineId('snapshot', snapshotId);
      if (snapshot_id === undefined) throw new TaskFailed(goneOf('snapshot'));
      await this.#stored.act('volume', there.id, { revert: { snapshot_id } });
      await this.#stored.save('volume', id, there.id, { asked });
      return this.#later(operation, 'the volume is reverting');
    });
  }

  async #create(desired: DesiredVolume, operation: Operation, { isKnown }: Found): Promise<Waiting> {
    if (isKnown) throw new TaskFailed(goneOf('volume'));
    const { id, size, imageId, snapshotId } = desired;
    const type = this.#typeOf(desired);
    const fields = { name: nameOf(id), size, metadata: { [MARK_KEY]: id } };
    // One of a snapshot has the type of that first, and gets its own by the next call.
    const typed = snapshotId === null ? { volume_type: type } : {};
    const source = await this.#sourceOf(imageId, snapshotId);
    try {
      await this.#stored.create('volume', id, Object.assign(fields, typed, source));
    } catch (error) {
      await this.#refuseUseless(source.imageRef, imageId);
      throw error;
    }
    return this.#later(operation, 'the volume is creating');
  }

  async #sourceOf(imageId: string | null, snapshotId: string | null): Promise<VolumeSource> {
    if (snapshotId !== null) {
      const snapshot_id = await this.#stored.engineId('snapshot', snapshotId);
      if (snapshot_id === undefined) throw new TaskFailed(goneOf('snapshot'));
      return { snapshot_id };
    }
    if (imageId === null) return {};
    const named = (await this.#options.publicImages()).get(imageId);
    if (named === null) throw new TaskFailed(NOT_OFFERED);
    const imageRef = named ?? (await this.#stored.engineId('image', imageId));
    if (imageRef === undefined) throw new TaskFailed(goneOf('image'));
    return { imageRef };
  }

  /** Cinder does not say that it is the image which is of no use, or waits for it.
   *  @throws TaskFailed when it is so */
  async #refuseUseless(imageRef: string | undefined, imageId: string | null): Promise<void> {
    if (imageRef === undefined || imageId === null) return;
    const image = await this.#stored.get('image', imageRef);
    const isPublic = (await this.#options.publicImages()).has(imageId);
    const fault = isPublic ? faultOfPublic(image?.status) : image ? null : goneOf('image');
    if (fault !== null) throw new TaskFailed(fault);
  }

  #typeOf({ type }: DesiredVolume): string {
    const its = this.#options.settings.volumes?.types[type];
    if (its === undefined) throw new TaskFailed(`This region has no volumes of the type ${type}`);
    return its;
  }

  async #grow({ size }: DesiredVolume, there: FoundObject, operation: Operation) {
    if (Number(there.size) >= size) return undefined;
    await this.#stored.act('volume', there.id, { 'os-extend': { new_size: size } });
    return this.#later(operation, 'the volume is extending');
  }

  async #retype(desired: DesiredVolume, { facts }: Found, there: FoundObject, operation: Operation) {
    const new_type = this.#typeOf(desired);
    if (there.volume_type === new_type) return undefined;
    const asked = `retype ${operation.key} ${operation.type}`;
    // Cinder says nothing when it does not succeed.
    if (facts.asked === asked)
      throw new TaskFailed(
        `The cloud keeps the volume on ${there.volume_type}${await this.#reason(there.id)}`,
      );
    await this.#stored.act('volume', there.id, { 'os-retype': { new_type, migration_policy: 'never' } });
    await this.#stored.save('volume', desired.id, there.id, { asked });
    return this.#later(operation, 'the volume is retyping');
  }

  /** Volumes of a new instance are attached by Nova when it makes that. */
  async #attach({ attachment }: DesiredVolume, there: FoundObject, operation: Operation) {
    const has = (there.attachments as readonly { readonly server_id: string }[]).map(
      ({ server_id: server }) => server,
    );
    const server =
      attachment === null ? undefined : await this.#stored.engineId('instance', attachment.instanceId);
    const path = (of: string) => `/servers/${of}/os-volume_attachments`;
    const other = has.find((each) => each !== server);
    if (other !== undefined) {
      await this.#options.session.call('compute', 'DELETE', `${path(other)}/${there.id}`);
      return this.#later(operation, 'the volume is detaching');
    }
    if (attachment === null || has.length > 0) return undefined;
    if (operation.type !== 'attach_volume' && operation.type !== RESTORE_VOLUME) return undefined;
    if (server === undefined) throw new TaskFailed(goneOf('instance'));
    const volumeAttachment = { volumeId: there.id, delete_on_termination: false };
    await this.#options.session.call('compute', 'POST', path(server), { volumeAttachment });
    return this.#later(operation, 'the volume is attaching');
  }

  async #remove(kind: 'volume' | 'snapshot', id: string, operation: Operation): Promise<Progress> {
    const { there, facts } = await this.#stored.find(kind, id);
    if (!there) {
      await this.#stored.forget(id);
      return READY;
    }
    const asked = `delete ${operation.key}`;
    if (there.status === 'error_deleting' && facts.asked === asked)
      throw new TaskFailed(`The cloud could not delete the ${kind}${await this.#reason(there.id)}`);
    const isBusy = there.status === 'in-use' || BUSY.includes(there.status);
    if (!isBusy) {
      await this.#stored.delete(kind, there.id);
      await this.#stored.save(kind, id, there.id, { asked });
    }
    return this.#later(operation, `the ${kind} is ${isBusy ? there.status : 'deleting'}`);
  }

  async #volume(id: string): Promise<string> {
    const engineId = await this.#stored.engineId('volume', id);
    if (engineId === undefined) throw new TaskFailed(goneOf('volume'));
    return engineId;
  }

  async #refuseFailed({ id, status }: FoundObject): Promise<void> {
    if (!status.startsWith('error')) return;
    const reason = await this.#reason(id);
    const what = `the volume is ${status} in the cloud${reason}`;
    if (!NO_ROOM.test(reason)) throw new TaskFailed(what[0]?.toUpperCase() + what.slice(1));
    this.#options.log.warn({ volume: id }, `the region has no room: ${what}`);
    throw new TaskFailed(`The region has no room for it: ${what}`);
  }

  /** What Cinder has noted of something, to be put behind a sentence. */
  async #reason(engineId: string): Promise<string> {
    try {
      const path = `/messages?resource_uuid=${engineId}&sort=created_at:desc&limit=1`;
      const answer = await this.#options.session.call('block-storage', 'GET', path);
      const { messages } = answer as { messages: readonly { readonly user_message: string }[] };
      return messages[0] ? `: ${messages[0].user_message}` : '';
    } catch {
      return '';
    }
  }

  #later(operation: Operation, what: string): Waiting {
    return { ready: false, retryInMs: pauseOf(operation, this.#options.now()), step: what };
  }
}

import type { DesiredImage, ImageProvider } from '../../features/images/port.ts';
import type { Watchable } from '../../kernel/condition.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { type Operation, type Progress, READY } from '../../kernel/operation.ts';
import { goneOf, imageCondition, USELESS_IMAGES } from './conditions.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import { markOf } from './marks.ts';
import { pauseOf, step } from './steps.ts';
import { type Found, type FoundObject, nameOf, Stored } from './stored.ts';

const FORMATS = ['qcow2', 'raw', 'iso', 'vmdk', 'vhd', 'vhdx', 'vdi'];

/** Images of Glance: Cinder makes those of volumes, and Glance itself fetches those of addresses. */
export class OpenStackImages implements ImageProvider {
  readonly condition: Watchable;
  readonly #options: OpenStackOptions;
  readonly #stored: Stored;

  constructor(options: OpenStackOptions) {
    this.#options = options;
    this.#stored = new Stored(options.session, options.objects);
    this.condition = imageCondition(options, this.#stored);
  }

  async applyImage({ id, source }: DesiredImage, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const found = await this.#stored.find('image', id);
      const { there, isKnown } = found;
      if (there?.status === 'active') return READY;
      if (there && USELESS_IMAGES.includes(there.status))
        throw new TaskFailed(`The image is ${there.status} in the cloud`);
      if (!there && isKnown) throw new TaskFailed('The cloud could not make the image, and dropped it');
      if ('url' in source) await this.#fetch(id, source.url, found, operation);
      else if (!there) await this.#upload(id, source.volumeId);
      const says = `the image is ${there?.status ?? 'queued'}`;
      return { ready: false, retryInMs: pauseOf(operation, this.#options.now()), step: says };
    });
  }

  async removeImage(id: string, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      for (let found = await this.#stored.find('image', id); found.there; ) {
        await this.#stored.delete('image', found.there.id);
        await this.#stored.forget(id);
        found = await this.#stored.find('image', id);
      }
      await this.#stored.forget(id);
      return READY;
    });
  }

  /** The name is its mark: Cinder makes the image, and says nothing else of ours to Glance. */
  async #upload(id: string, volumeId: string): Promise<void> {
    const volume = await this.#stored.find('volume', volumeId);
    if (!volume.there) throw new TaskFailed(goneOf('volume'));
    const upload = {
      image_name: nameOf(id),
      disk_format: 'raw',
      container_format: 'bare',
      visibility: 'private',
      protected: false,
      force: volume.there.status === 'in-use',
    };
    const answer = await this.#stored.act('volume', volume.there.id, { 'os-volume_upload_image': upload });
    const { image_id } = (answer as { 'os-volume_upload_image': { image_id: string } })[
      'os-volume_upload_image'
    ];
    await this.#stored.save('image', id, image_id, {});
  }

  async #fetch(id: string, uri: string, { there, facts }: Found, { key }: Operation): Promise<void> {
    const asked = `import ${key}`;
    if (there && facts.asked === asked) return this.#refuseFailed(uri, there);
    const fields = {
      id,
      name: nameOf(id),
      tags: [markOf(id)],
      disk_format: formatOf(uri),
      container_format: 'bare',
      visibility: 'private',
    };
    const engineId = there?.id ?? (await this.#stored.create('image', id, fields));
    const method = { name: 'web-download', uri };
    await this.#options.session.call('image', 'POST', `/images/${engineId}/import`, { method });
    await this.#stored.save('image', id, engineId, { asked });
  }

  /** One that could not be fetched is as empty as before, and says which store has not got it. */
  async #refuseFailed(uri: string, there: FoundObject): Promise<void> {
    const answer = await this.#options.session.call('image', 'GET', `/images/${there.id}/tasks`);
    const { tasks } = answer as { tasks: readonly { readonly status: string; readonly message: string }[] };
    const failed = tasks.find(({ status }) => status === 'failure');
    if (failed) throw new TaskFailed(`The cloud could not fetch ${uri}: ${failed.message}`);
  }
}

/** By the end of an address; what says nothing is qcow2, as most clouds have it. */
function formatOf(uri: string): string {
  const end = new URL(uri).pathname.split('.').at(-1)?.toLowerCase() ?? '';
  return FORMATS.includes(end) ? end : 'qcow2';
}

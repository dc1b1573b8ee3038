import type { Transitions } from '../../kernel/transitions.ts';
import { CHANGE_COLUMNS, type RowOf, SCOPE_COLUMNS } from '../../platform/database/rows.ts';
import type { StoredTags } from '../../platform/http/tags.ts';

export const ARCHITECTURES = ['aarch64', 'x86_64'] as const;
export const OS_TYPES = ['linux', 'windows'] as const;
export const SSH_KEYS = ['allow', 'deny', 'required'] as const;
export const FIRMWARE_TYPES = ['bios', 'uefi'] as const;
export const MACHINE_TYPES = ['i440', 'q35'] as const;

/** What the owner of an image says about it. */
export const TRAITS = [
  'name',
  'architecture',
  'os_type',
  'ssh_key',
  'hw_firmware_type',
  'hw_machine_type',
  'is_baremetal',
  'tags',
] as const;

/** An image without a project is the region's, and every project may use it. `min_disk` and `size` are in GiB,
 *  `min_ram` in MiB; `source_url` is the address that it came from; one with `kept_for_volumes` is deleted after the
 *  volumes that were made of it. */
export const COLUMNS = [
  ...TRAITS,
  ...SCOPE_COLUMNS,
  'client_id',
  'description',
  'status',
  'status_reason',
  'os_distro',
  'os_version',
  'disk_format',
  'min_disk',
  'min_ram',
  'size',
  'display_order',
  'volume_id',
  'source_url',
  'kept_for_volumes',
  ...CHANGE_COLUMNS,
] as const;

export type ImageStatus = 'saving' | 'active' | 'pending_delete' | 'error';

/** `error`: it could not be deleted, or is lost or of no use in the region: it can only be deleted. One of the region is
 *  in no list then. */
export const IMAGE_TRANSITIONS: Transitions<ImageStatus> = {
  // Of a task that was lost it is not known what it has done.
  saving: ['active', 'error'],
  // Its region says that it is lost there, or well again.
  active: ['pending_delete', 'error'],
  pending_delete: ['error'],
  error: ['pending_delete', 'active'],
};

interface Narrowed {
  readonly architecture: (typeof ARCHITECTURES)[number];
  readonly os_type: (typeof OS_TYPES)[number];
  readonly ssh_key: (typeof SSH_KEYS)[number] | null;
  readonly hw_firmware_type: (typeof FIRMWARE_TYPES)[number] | null;
  readonly hw_machine_type: (typeof MACHINE_TYPES)[number] | null;
  readonly tags: StoredTags;
  readonly status: ImageStatus;
}

export type ImageRow = RowOf<'images', typeof COLUMNS, Narrowed>;
export type ImageTraits = Pick<ImageRow, (typeof TRAITS)[number]>;

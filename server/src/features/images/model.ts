import type { StoredTags } from '../../platform/http/tags.ts';

export const ARCHITECTURES = ['aarch64', 'x86_64'] as const;
export const OS_TYPES = ['linux', 'windows'] as const;
export const SSH_KEYS = ['allow', 'deny', 'required'] as const;
export const FIRMWARE_TYPES = ['bios', 'uefi'] as const;
export const MACHINE_TYPES = ['i440', 'q35'] as const;

/** What the owner of an image says about it. */
export interface ImageTraits {
  readonly name: string;
  readonly architecture: (typeof ARCHITECTURES)[number];
  readonly os_type: (typeof OS_TYPES)[number];
  readonly ssh_key: (typeof SSH_KEYS)[number] | null;
  readonly hw_firmware_type: (typeof FIRMWARE_TYPES)[number] | null;
  readonly hw_machine_type: (typeof MACHINE_TYPES)[number] | null;
  readonly is_baremetal: boolean;
  readonly tags: StoredTags;
}

export interface ImageRow extends ImageTraits {
  readonly id: string;
  /** null: the region's own, which every project may use. */
  readonly project_id: number | null;
  readonly region_id: number;
  readonly client_id: number | null;
  readonly description: string | null;
  /** `error`: it could not be deleted, and can only be deleted again. */
  readonly status: 'saving' | 'active' | 'pending_delete' | 'error';
  readonly os_distro: string;
  readonly os_version: string;
  readonly disk_format: string;
  /** GiB. */
  readonly min_disk: number;
  /** MiB. */
  readonly min_ram: number;
  /** GiB; null: not known. */
  readonly size: number | null;
  readonly display_order: number | null;
  readonly volume_id: string | null;
  /** The address it came from. */
  readonly source_url: string | null;
  /** It goes after the volumes that were made of it. */
  readonly kept_for_volumes: boolean;
  readonly task_id: string | null;
  readonly creator_task_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

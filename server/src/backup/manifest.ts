import { messageOf } from '../kernel/errors.ts';
import { compareVersions } from '../platform/database/versions.ts';
import { VERSION } from '../version.ts';

/** What a backup says of itself. */

export class BackupError extends Error {}

/** A part of a backup. */
export interface Part {
  /** The folder that it comes from, and what it holds of that: `regions/1/postgresql/ID/data/files.tar`. */
  readonly name: string;
  /** Where it is in the file. */
  readonly entry: string;
  /** Bytes. */
  readonly size: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

export interface Manifest {
  readonly format: 1;
  /** Of Virga. */
  readonly version: string;
  /** ISO 8601, in UTC. */
  readonly made_at: string;
  /** Files of PostgreSQL mean nothing on another one: `linux-x64`. */
  readonly platform: string;
  /** Whether root made it: then its files have several owners. */
  readonly as_root: boolean;
  /** Whether the master key is in it; else the settings of the server have it. */
  readonly has_master_key: boolean;
  readonly parts: readonly Part[];
}

export const MANIFEST = 'manifest.json';
export const PLATFORM = `${process.platform}-${process.arch}`;
const FORMAT = 1;

/** @param text of the manifest
 *  @throws BackupError when this program, user or machine cannot restore it */
export function readManifest(text: string, file: string): Manifest {
  const manifest = parsed(text, file);
  const { format, version, platform, as_root: asRoot } = manifest;
  if (format !== FORMAT || compareVersions(version, VERSION) > 0)
    throw new BackupError(
      `${file} was made by version ${version}, and this is ${VERSION}: restore it with ${version} or a later one`,
    );
  if (platform !== PLATFORM)
    throw new BackupError(`${file} was made on ${platform}: it can be restored there, not on ${PLATFORM}`);
  if (!asRoot && process.getuid?.() === 0)
    throw new BackupError(`${file} was made by an ordinary user: restore it as one, not as root`);
  return manifest;
}

function parsed(text: string, file: string): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new BackupError(`${file} is damaged: its manifest cannot be read (${messageOf(error)})`);
  }
}

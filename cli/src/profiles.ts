import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UsageError } from './failures.ts';

/** What the command keeps for a person: clouds with their tokens, and what is usually meant in each. */
export interface Kept {
  /** The profile that counts where no other cloud is found. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Usual project and region by the address of the cloud. */
  readonly usual: Readonly<Record<string, Usual>>;
}

export interface Profile {
  readonly url: string;
  readonly token: string;
}

export interface Usual {
  readonly project?: number;
  readonly region?: number;
}

const NONE: Kept = { profiles: {}, usual: {} };

/** `virga/config.json` in the folder for settings of this person. */
export function keptFile(env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_CONFIG_HOME || path.join(env.HOME || os.homedir(), '.config');
  return path.join(folder, 'virga', 'config.json');
}

/** @throws UsageError when the file is no JSON */
export function readKept(env: NodeJS.ProcessEnv): Kept {
  const file = keptFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return NONE;
  }
  try {
    return { ...NONE, ...JSON.parse(text) };
  } catch {
    throw new UsageError(`${file} is no JSON: correct or remove it`);
  }
}

/** For its owner alone, in one step. */
export function writeKept(env: NodeJS.ProcessEnv, kept: Kept): void {
  const file = keptFile(env);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

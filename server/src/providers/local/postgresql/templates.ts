import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, removeFolder, writeFileAtomically } from '../../../kernel/files.ts';
import { copyTree } from '../host/copy-tree.ts';
import { giveToEngine, makeOwnFolder, makePassage } from '../host/files.ts';
import { run } from '../host/programs.ts';
import { ADMIN } from './configuration.ts';
import { syncFolder } from './sync-folder.ts';

const PATIENCE_MS = 120_000;

interface Secret {
  readonly password: string;
}

/** Empty clusters, one for each version, made once and copied for each new one: that is ten times as fast as
 *  `initdb`. They never run themselves. They belong to the common account: `initdb` asks for one that has a name. */
export class Templates {
  readonly #folder: string;
  readonly #making = new Map<string, Promise<void>>();

  /** @param root of all clusters of the region */
  constructor(root: string) {
    this.#folder = join(root, 'templates');
  }

  /** Makes the one of a version when there is none.
   *  @throws TaskFailed with what `initdb` says */
  async prepare(version: string, binaries: string): Promise<void> {
    if (existsSync(this.#data(version))) return;
    const making = this.#making.get(version) ?? this.#make(version, binaries);
    this.#making.set(version, making);
    try {
      await making;
    } finally {
      this.#making.delete(version);
    }
  }

  /** Fills an empty folder of a home.
   *  @returns the password that its administrator has until it gets one of its own */
  async copyTo(folder: string, home: string, version: string, binaries: string): Promise<string> {
    await this.prepare(version, binaries);
    const secret = readJson<Secret>(this.#secret(version));
    if (!secret) throw new Error(`the password of the template of PostgreSQL ${version} is missing`);
    await copyTree({ folder: this.#data(version), home: undefined }, { folder, home });
    await syncFolder(folder, binaries, home);
    return secret.password;
  }

  #data(version: string): string {
    return join(this.#folder, version);
  }

  #secret(version: string): string {
    return join(this.#folder, `${version}.json`);
  }

  async #make(version: string, binaries: string): Promise<void> {
    makePassage(this.#folder);
    const draft = join(this.#folder, `${version}.draft`);
    const passwordFile = join(this.#folder, `${version}.password`);
    const password = randomBytes(24).toString('base64url');
    await removeFolder(draft);
    makeOwnFolder(draft, undefined);
    writeFileAtomically(passwordFile, `${password}\n`);
    giveToEngine(passwordFile, undefined);
    const words = ['-D', draft, '-U', ADMIN, '-E', 'UTF8', '--locale=C.UTF-8', '--auth=scram-sha-256'];
    try {
      const checked = [...words, '--data-checksums', `--pwfile=${passwordFile}`, '--no-sync'];
      await must(join(binaries, 'bin', 'initdb'), checked);
    } finally {
      rmSync(passwordFile, { force: true });
    }
    writeFileAtomically(this.#secret(version), JSON.stringify({ password } satisfies Secret));
    renameSync(draft, this.#data(version));
  }
}

/** @throws TaskFailed with the last thing that it says */
async function must(program: string, words: readonly string[]): Promise<void> {
  const { exitCode, output } = await run(program, words, { patienceMs: PATIENCE_MS });
  if (exitCode === 0) return;
  throw new TaskFailed(`The database could not be made: ${output.trim().split('\n').at(-1)}`);
}

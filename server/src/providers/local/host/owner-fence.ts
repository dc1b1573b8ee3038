import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readJson, writeFileAtomically } from '../../../kernel/files.ts';
import { acquireHostLock, tryHostLock } from '../../../kernel/host-lock.ts';
import {
  identify,
  isAlive,
  isFrozen,
  type ProcessIdentity,
  signalProcess,
} from '../../../kernel/processes.ts';
import { makePassage } from './files.ts';

/** Another process works on this region now. What was to be done is for that one to do. */
export class NotOwner extends Error {
  constructor() {
    super('another worker owns this region now');
  }
}

interface Owner extends ProcessIdentity {
  readonly epoch: number;
}

const LOOK_EVERY_MS = 20;
/** A process that is in the middle of a change, and not frozen, may take this long to end it. */
const PATIENCE_MS = 20_000;

/** Keeps all processes but one from changing what a region runs on this machine.
 *
 *  Every change is made while a lock of the machine is held, which the kernel frees when its holder dies. The
 *  file `owner.json` beside the region's files says who may make changes. It changes under the same lock: between a
 *  look at it and the change that follows, nobody can take over, however long this process is frozen there. */
export class OwnerFence {
  readonly #file: string;
  readonly #name: string;
  #epoch: number | undefined;
  #users = 0;
  #lock: Promise<Server> | undefined;

  /** @param folder of the region, in the data directory */
  constructor(folder: string) {
    makePassage(folder);
    this.#file = join(folder, 'owner.json');
    const realFolder = realpathSync(folder);
    this.#name = `virga-region-${createHash('sha256').update(realFolder).digest('hex').slice(0, 32)}`;
  }

  /** Whether this process is the owner; another one may have taken over since. */
  get isOwner(): boolean {
    return this.#epoch !== undefined;
  }

  /** Makes a change, or several at once.
   *  @throws NotOwner when another process has taken over, or this one never did; then nothing was done */
  async hold<T>(change: () => Promise<T>): Promise<T> {
    return this.#locked(async () => {
      const epoch = this.#epoch;
      if (epoch === undefined || readJson<Owner>(this.#file)?.epoch !== epoch) throw new NotOwner();
      return change();
    }, acquireHostLock);
  }

  /** Makes this process the only one that may make changes. One that is frozen in the middle of a change is ended,
   *  since nobody could go on with what it might still do; one that is not may end its change.
   *  @param epoch higher than any before
   *  @throws NotOwner when that took so long that another one has taken over since */
  async takeOver(epoch: number): Promise<void> {
    await this.#locked(
      async () => {
        if (this.#isLate(epoch)) throw new NotOwner();
        const owner: Owner = { epoch, ...(identify(process.pid) ?? { pid: process.pid, startedAt: '' }) };
        writeFileAtomically(this.#file, JSON.stringify(owner));
        this.#epoch = epoch;
      },
      () => this.#seize(),
    );
  }

  /** Whether somebody with a later lease is at work. One that has ended may have had it from another database. */
  #isLate(epoch: number): boolean {
    const owner = readJson<Owner>(this.#file);
    return owner !== null && owner.epoch > epoch && owner.pid !== process.pid && isAlive(owner);
  }

  /** Makes a last change as the owner: nothing else is begun from now on.
   *  @throws NotOwner as `hold` */
  async finish<T>(change: () => Promise<T>): Promise<T> {
    return this.hold(() => {
      this.#epoch = undefined;
      return change();
    });
  }

  /** Makes a change while another machine works on the region, and nobody here can begin to meanwhile.
   *  @param epoch of the other machine
   *  @returns false when somebody of this machine works on it, or has done so since: then nothing was done */
  async aside(epoch: number, change: () => Promise<unknown>): Promise<boolean> {
    if (this.isOwner || this.#users > 0) return false;
    const lock = await tryHostLock(this.#name);
    if (!lock) return false;
    try {
      const owner = readJson<Owner>(this.#file);
      if (this.isOwner || (owner !== null && owner.epoch > epoch)) return false;
      await change();
      return true;
    } finally {
      await new Promise((resolve) => lock.close(resolve));
    }
  }

  /** This process makes no more changes; those that it is making end first. */
  async release(): Promise<void> {
    this.#epoch = undefined;
    while (this.#users > 0) await delay(LOOK_EVERY_MS);
  }

  async #locked<T>(action: () => Promise<T>, acquire: (name: string) => Promise<Server>): Promise<T> {
    this.#users += 1;
    try {
      this.#lock ??= acquire(this.#name);
      await this.#lock;
      return await action();
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#unlock();
    }
  }

  #unlock(): void {
    const lock = this.#lock;
    this.#lock = undefined;
    void lock?.then(
      (server) => server.close(),
      () => undefined,
    );
  }

  async #seize(): Promise<Server> {
    const since = performance.now();
    for (;;) {
      const lock = await tryHostLock(this.#name);
      if (lock) return lock;
      const owner = readJson<Owner>(this.#file);
      const isBlocking =
        owner && isAlive(owner) && (isFrozen(owner) || performance.now() - since > PATIENCE_MS);
      if (isBlocking) signalProcess(owner, 'SIGKILL');
      await delay(LOOK_EVERY_MS);
    }
  }
}

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Server } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tryHostLock } from '../kernel/host-lock.ts';
import { OWN_COMMANDS } from '../kernel/own-commands.ts';
import { BUILT_SETTING } from './built.ts';
import { type Engine, EngineError, type EngineState } from './engine.ts';
import { installEngine, type Say, type SystemInstaller } from './install.ts';
import { findEngine } from './locations.ts';
import { ENGINES } from './table.ts';

export interface EnginesOptions {
  /** Where engines are looked for beside settings and PATH; the last one is where they are put. */
  readonly folders: readonly string[];
  /** Default: the table. */
  readonly engines?: readonly Engine[];
  readonly env?: NodeJS.ProcessEnv;
  /** Told when an engine comes, goes or breaks. */
  readonly onChange?: (state: EngineState) => void;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

const LOOK_EVERY_MS = 2_000;
/** One that does not work is tried again after this: what it lacks may have come. */
const TRY_AGAIN_MS = 30_000;

interface Seen extends EngineState {
  /** Names the file that was tried. */
  readonly key: string;
  readonly at: number;
}

/** The engines of this machine: what is there, whether it works, and how to get the rest. Goes on looking, so that one
 *  that is installed counts without a restart. */
export class Engines {
  readonly #options: EnginesOptions;
  readonly #engines: readonly Engine[];
  readonly #seen = new Map<string, Seen>();
  readonly #installing = new Map<string, Promise<string>>();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EnginesOptions) {
    this.#options = options;
    this.#engines = options.engines ?? ENGINES;
  }

  /** Looks once, then every few seconds until it is closed. */
  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Looks for engines now, and tries those that are new or have changed.
   *  @param names absent: every engine */
  look(names?: readonly string[]): Promise<void> {
    this.#looking ??= this.#lookAtAll(names).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** As last seen. */
  readonly list = (): readonly EngineState[] => {
    return this.#engines.map((engine) => this.#seen.get(engine.name) ?? missing(engine));
  };

  state(name: string): EngineState {
    const found = this.list().find(({ engine }) => engine.name === name);
    if (!found) throw new EngineError(`${name} is not an engine; there are ${this.#names()}`);
    return found;
  }

  isReady(name: string): boolean {
    return this.state(name).state === 'ready';
  }

  /** The path of an engine that works, or undefined. */
  programOf(name: string): string | undefined {
    const { state, program } = this.state(name);
    return state === 'ready' ? program : undefined;
  }

  /** Why an engine cannot be used, and what to do; undefined: it can. */
  faultOf(name: string): string | undefined {
    return this.state(name).fault;
  }

  /** Gets an engine, once, however many ask for it at the same time.
   *  @param say is called with what is being done
   *  @param system installs packages of the system; absent: this process may not
   *  @returns the path of its program
   *  @throws EngineError with what to do */
  install(name: string, say: Say, system?: SystemInstaller): Promise<string> {
    const running = this.#installing.get(name);
    if (running) return running;
    const work = this.#install(name, say, system).finally(() => this.#installing.delete(name));
    this.#installing.set(name, work);
    return work;
  }

  async #install(name: string, say: Say, system?: SystemInstaller): Promise<string> {
    const { engine } = this.state(name);
    const folder = this.#options.folders.at(-1);
    if (!folder) throw new EngineError('there is no folder for engines');
    const lock = await lockOf(path.join(path.resolve(folder), name), say);
    try {
      await this.#lookAt(engine);
      const there = this.programOf(name);
      if (there) return there;
      const builtUrl = (this.#options.env ?? process.env)[BUILT_SETTING]?.trim() || undefined;
      await installEngine(engine, { folder, say, system, builtUrl });
      this.#seen.delete(name);
      await this.#lookAt(engine);
      const { program, fault } = this.state(name);
      if (program && !fault) return program;
      throw new EngineError(fault ?? `${engine.title} was installed, and is not found`);
    } finally {
      lock.close();
    }
  }

  async #lookAtAll(names?: readonly string[]): Promise<void> {
    const desired = this.#engines.filter(({ name }) => names === undefined || names.includes(name));
    await Promise.all(desired.map((engine) => this.#lookAt(engine)));
  }

  async #lookAt(engine: Engine): Promise<void> {
    const { folders, env, onChange } = this.#options;
    const now = (this.#options.now ?? (() => performance.now()))();
    const before = this.#seen.get(engine.name);
    const program = findEngine(engine, folders, env);
    const key = program ? keyOf(program) : 'none';
    const settled = before?.state !== 'broken' || now - before.at < TRY_AGAIN_MS;
    if (before?.key === key && settled) return;
    const state = program ? await tryOut(engine, program) : missing(engine, env);
    this.#seen.set(engine.name, { ...state, key, at: now });
    if (before && (before.state !== state.state || before.program !== state.program)) onChange?.(state);
  }

  #names(): string {
    return this.#engines.map(({ name }) => name).join(', ');
  }
}

async function tryOut(engine: Engine, program: string): Promise<EngineState> {
  try {
    return { engine, state: 'ready', program, says: await engine.probe(program), fault: undefined };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { engine, state: 'broken', program, says: undefined, fault };
  }
}

function missing(engine: Engine, env: NodeJS.ProcessEnv = process.env): EngineState {
  const { title, name, setting } = engine;
  const named = setting && env[setting]?.trim();
  const fault = named
    ? `${setting} names ${named}, which is no program that this account may run`
    : `${title} is not installed on this machine: ${OWN_COMMANDS.engines} install ${name}`;
  return { engine, state: 'missing', program: undefined, says: undefined, fault };
}

/** As the API shows it. */
export const viewEngine = ({ engine, state, program, says, fault }: EngineState) => ({
  name: engine.name,
  title: engine.title,
  needed_for: engine.why,
  version: engine.version ?? null,
  state,
  program: program ?? null,
  says: says ?? null,
  fault: fault ?? null,
  small: engine.small,
});

/** Changes when another file is in its place. */
function keyOf(program: string): string {
  const stat = statSync(program, { throwIfNoEntry: false });
  return `${program}:${stat?.ino}:${stat?.size}:${stat?.mtimeMs}`;
}

const LOCK_EVERY_MS = 100;

/** Waits while another process installs the same, however long that takes. The lock is free when its process ends. */
async function lockOf(target: string, say: Say): Promise<Server> {
  const name = `virga-engine-${createHash('sha256').update(target).digest('hex').slice(0, 32)}`;
  for (let attempt = 0; ; attempt += 1) {
    const lock = await tryHostLock(name);
    if (lock) return lock;
    if (attempt === 0) say('Another process installs it already: waiting for that.');
    await delay(LOCK_EVERY_MS);
  }
}

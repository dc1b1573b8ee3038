import { rmSync } from 'node:fs';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readJson, readText, writeFileAtomically } from '../../../kernel/files.ts';
import { commandLine, findProcess, type ProcessIdentity, terminate } from '../../../kernel/processes.ts';
import { converge } from '../host/converge.ts';
import { startDetached, trimLog } from '../host/detached.ts';
import { type Command, confined, unprivileged } from '../host/privileges.ts';
import { type Desired, nextStep, type Observed, type Step } from './next.ts';

/** Where Kubernetes programs are on this machine. */
export interface KubernetesPrograms {
  /** Versions that work, as `v1.36.3`. */
  versions(): readonly string[];
  /** The program of a version; undefined: this machine does not have it. */
  programOf(version: string): string | undefined;
  /** How to get it. */
  fault(version: string): string;
  /** How to get any. */
  noneFault(): string;
  /** Whether nodes of this machine can run pods; else they pretend to. */
  runsPods(): boolean;
  /** The program that answers pods for the names of services; undefined: nothing does. */
  names(): string | undefined;
}

/** What a program of a cluster is started with. */
export interface ProgramNotes extends Desired {
  readonly list: readonly string[];
}

export interface ProgramPaths {
  readonly home: string;
  /** Its program names it with `--dir`. */
  readonly data: string;
  readonly log: string;
  readonly pidFile: string;
  readonly notes: string;
}

const LARGEST_LOG = 5_000_000;
/** A control plane with nodes waits for its watches. */
const STOP_MS = 8_000;

/** One process of a cluster. It outlives this process, and is found again. */
export class Program {
  readonly #paths: ProgramPaths;
  readonly #programs: KubernetesPrograms;
  readonly #name: string;

  /** @param name at the start of a sentence: "The control plane" */
  constructor(paths: ProgramPaths, programs: KubernetesPrograms, name: string) {
    this.#paths = paths;
    this.#programs = programs;
    this.#name = name;
  }

  /** What it was last to be; null: nothing yet. */
  get notes(): ProgramNotes | null {
    return readJson<ProgramNotes>(this.#paths.notes);
  }

  running(): ProcessIdentity | null {
    const { pidFile, data } = this.#paths;
    return findProcess(Number(readText(pidFile)), (words) => words.includes(`--dir=${data}`));
  }

  /** Brings it to run in a version, with these words.
   *  @param answers whether it is ready
   *  @returns what had to be done
   *  @throws TaskFailed with what the program says, or how to get the version */
  serve(
    { version, list }: { readonly version: string; readonly list: readonly string[] },
    answers: () => Promise<boolean>,
  ): Promise<readonly Step[]> {
    const desired = { version, words: list.join('\n') };
    return converge({
      observe: () => this.#observe(),
      next: (observed) => nextStep(desired, observed),
      steps: {
        stop: () => this.stop(),
        start: () => this.#start({ ...desired, list }, answers),
      },
    });
  }

  async stop(): Promise<void> {
    const process = this.running();
    if (process) await terminate(process, STOP_MS);
    rmSync(this.#paths.pidFile, { force: true });
  }

  #observe(): Observed {
    const { notes } = this;
    const process = this.running();
    if (process === null || notes === null) return { running: null, words: '' };
    const program = this.#programs.programOf(notes.version);
    // A program that was replaced on the disk is another one.
    const isSame = program !== undefined && commandLine(process.pid).includes(program);
    return { running: isSame ? notes.version : 'another', words: notes.words };
  }

  async #start(notes: ProgramNotes, answers: () => Promise<boolean>): Promise<void> {
    const program = this.#programs.programOf(notes.version);
    if (program === undefined) throw new TaskFailed(this.#programs.fault(notes.version));
    const { home, log, pidFile } = this.#paths;
    trimLog(log, LARGEST_LOG);
    writeFileAtomically(this.#paths.notes, JSON.stringify(notes));
    await startDetached({
      command: commandOf({ program, words: notes.list }, home),
      cwd: home,
      pidFile,
      log,
      name: this.#name,
      answers,
      reason: (said) =>
        said.split('\n').findLast((line) => line.startsWith('virga-kubernetes:')) ?? said.slice(-300),
    });
  }
}

/** Machines, and control planes with networks of their own, are started as root, and give up what they do not need. */
function commandOf(command: Command, home: string): Command {
  if (command.words[0] === 'machine') return command;
  const entersNetwork = command.words.some((word) => word.startsWith('--network='));
  return entersNetwork ? confined(command, home) : unprivileged(command, { home });
}

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from './wait.ts';

/** kubectl with the kubeconfig that the API gave. */
export class Kubectl {
  readonly #program: string;
  readonly #kubeconfig: string;

  constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  get #env() {
    const folder = path.dirname(this.#kubeconfig);
    return { PATH: process.env.PATH, HOME: folder, KUBECONFIG: this.#kubeconfig };
  }

  /** @returns what it says @throws when it fails */
  run = async (...words: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(this.#program, ['kubectl', ...words], { env: this.#env });
    return stdout;
  };

  /** Starts what goes on until it is ended. */
  start(...words: string[]) {
    const child = spawn(this.#program, ['kubectl', ...words], { env: this.#env });
    const ended = once(child, 'close');
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    return {
      /** @returns the first group of what it says */
      said: (what: RegExp) => waitUntil(async () => what.exec(text)?.[1], { what: String(what) }),
      end: async () => {
        child.kill();
        await ended;
      },
    };
  }

  get = async (...words: string[]) => JSON.parse(await this.run('get', ...words, '-o', 'json'));

  /** @returns warnings of the API server */
  async apply(what: object): Promise<string> {
    const file = `${this.#kubeconfig}.applied.json`;
    writeFileSync(file, JSON.stringify(what));
    const words = ['kubectl', 'apply', '-f', file];
    return (await promisify(execFile)(this.#program, words, { env: this.#env })).stderr;
  }

  /** Names of pods that run. */
  async runningPods(): Promise<readonly string[]> {
    const { items } = await this.get('pods');
    return items
      .filter(({ metadata, status }: Pod) => status.phase === 'Running' && !metadata.deletionTimestamp)
      .map(({ metadata }: Pod) => metadata.name);
  }

  async nodes(): Promise<readonly string[]> {
    const { items } = await this.get('nodes');
    return items.map(({ metadata }: Pod) => metadata.name);
  }
}

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status: { readonly phase: string };
}

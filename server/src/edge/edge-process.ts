import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { VIDEO_SETTING_NAMES } from '../../../signing/src/settings.ts';
import type { Account } from '../kernel/accounts.ts';
import type { Logger } from '../kernel/log.ts';

/** After a death the edge is started again: at first after a second, later less and less often. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** Longer than the edge itself takes to let answers that are under way end. */
const PATIENCE_MS = 12_000;
/** What every account of the machine could read in an environment. The edge is secrets them. */
const SECRET: readonly string[] = [
  'VIRGA_VIDEO_SECRETS',
  'VIRGA_EDGE_REPORT_TOKEN',
  'VIRGA_EDGE_S3_CREDENTIALS',
];
/** All that the edge needs of this process's environment; other secrets are none of its business. */
const PASSED_ON = ['PATH', 'TZ', 'NODE_EXTRA_CA_CERTS', ...VIDEO_SETTING_NAMES];

export interface EdgeProcessOptions {
  /** The bundled edge. */
  readonly script: string;
  /** Settings beside, or instead of, those in the environment. */
  readonly settings: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Whom it becomes; absent: nobody, or whoever this process is. */
  readonly account?: Account | undefined;
}

/** What an edge says once it listens, or why it cannot. */
type Message = { readonly listening: string } | { readonly failed: string };

/** The delivery edge as a process of its own beside the server. It has its own process group, so that Ctrl-C
 *  does not reach it before its turn, and it ends by itself when the server dies. */
export class EdgeProcess {
  readonly #options: EdgeProcessOptions;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #stopping = false;
  /** Why it cannot start, as it was said last. */
  #said: string | undefined;

  constructor(options: EdgeProcessOptions) {
    this.#options = options;
  }

  /** Returns at once: a server without its edge is of use too. */
  start(): void {
    const { script, log } = this.#options;
    if (existsSync(script)) this.#spawn();
    else log.warn({ script }, 'there is no bundled edge here; signed video is not delivered');
  }

  /** The edge has ended when this resolves. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    await gone;
    clearTimeout(timer);
  }

  #spawn(): void {
    const { account, script, settings, env = process.env, log } = this.#options;
    const passed = PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    const own = account ? { VIRGA_EDGE_ACCOUNT: String(account.uid) } : {};
    const all = Object.entries({ ...Object.fromEntries(passed), ...settings, ...own });
    const secrets = Object.fromEntries(all.filter(([name]) => SECRET.includes(name)));
    const child = spawn(process.execPath, [script], {
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: Object.fromEntries(all.filter(([name]) => !SECRET.includes(name))),
    });
    this.#child = child;
    // One that has just ended says so by itself.
    child.send(secrets, () => undefined);
    child.on('error', (error) => log.warn({ err: error }, 'the edge cannot be started'));
    let failed = false;
    child.on('message', (message: Message) => {
      failed = 'failed' in message;
      if ('failed' in message) return this.#failed(message.failed);
      this.#retryMs = FIRST_RETRY_MS;
      this.#said = undefined;
      log.info({ ...message, pid: child.pid }, 'the edge delivers signed video');
    });
    child.on('close', (code, signal) => this.#ended(child, failed ? undefined : { code, signal }));
  }

  /** The same reason is said once, however often it is tried. */
  #failed(reason: string): void {
    if (this.#said !== reason)
      this.#options.log.warn(
        `${reason.replace(/\.?$/, '.')} Signed video is not delivered until then; all else works.`,
      );
    this.#said = reason;
  }

  /** @param how undefined when it has said why */
  #ended(child: ChildProcess, how: { code: number | null; signal: string | null } | undefined): void {
    if (this.#child === child) this.#child = undefined;
    if (this.#stopping) return;
    const retryMs = this.#retryMs;
    const { log } = this.#options;
    if (how) log.warn({ ...how, retry_ms: retryMs }, 'the edge has ended; it is started again');
    else log.debug({ retry_ms: retryMs }, 'the edge is started again');
    this.#retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    this.#timer = setTimeout(() => this.#spawn(), retryMs);
  }
}

/** Where an edge beside this server reports what it delivered: as the storage `video` of the first client.
 *  @param url of the API
 *  @param token that may report usage and nothing else */
export function reportSettings(url: string, token: string): Record<string, string> {
  return {
    VIRGA_EDGE_REPORT_URL: `${url}/virga/v1/clients/1/storages/video/usage_reports`,
    VIRGA_EDGE_REPORT_TOKEN: token,
  };
}

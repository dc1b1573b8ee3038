import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { findProgram } from '../../scripts/lib/system-packages.mjs';
import { waitUntil } from '../harness/wait.ts';

/** How long a rule holds before its alert is raised here, whatever docs/monitoring says. */
export const FOR_SECONDS = 2;
const RULES = path.join(import.meta.dirname, '..', '..', 'docs/monitoring/prometheus-rules.yml');

interface Rules {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

/** What a rule looks back over for half an hour, it looks back over for this time here. */
const LONG_WINDOW = '[30m:1m]';
const SHORT_WINDOW = '[8s:1s]';

/** The rules of docs/monitoring, which hold after two seconds. */
function shortRules(): string {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as Rules;
  const short = groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: rule.expr.replace(LONG_WINDOW, SHORT_WINDOW),
      for: `${FOR_SECONDS}s`,
    })),
  }));
  return stringify({ groups: short });
}

export const ALERTS: readonly string[] = (parse(readFileSync(RULES, 'utf8')) as Rules).groups.flatMap(
  ({ rules }) => rules.map(({ alert }) => alert),
);

/** A real Prometheus that watches nodes every four seconds. */
export class Prometheus {
  readonly #folder: string;
  readonly #port: number;
  readonly #targets = new Map<string, string>();
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.#folder = path.join(folder, 'prometheus');
    this.#port = port;
  }

  /** @param token of an operator, so that owners of regions are among the metrics */
  async start(token: string): Promise<void> {
    const program = findProgram('prometheus');
    if (!program) throw new Error('the trial needs prometheus: apt-get install prometheus');
    mkdirSync(this.#folder, { recursive: true });
    const file = (name: string, text: string) => writeFileSync(path.join(this.#folder, name), text);
    file('token', token);
    file('rules.yml', shortRules());
    this.#writeTargets();
    file(
      'prometheus.yml',
      stringify({
        global: { scrape_interval: '4s', scrape_timeout: '4s', evaluation_interval: '1s' },
        rule_files: ['rules.yml'],
        scrape_configs: [
          {
            job_name: 'virga',
            authorization: { type: 'APIKey', credentials_file: 'token' },
            tls_config: { insecure_skip_verify: true },
            file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }],
          },
        ],
      }),
    );
    this.#child = spawn(
      program,
      [
        `--config.file=${this.#folder}/prometheus.yml`,
        `--storage.tsdb.path=${this.#folder}/data`,
        `--web.listen-address=127.0.0.1:${this.#port}`,
      ],
      { stdio: 'ignore' },
    );
    await waitUntil(() => this.firing(), { what: 'Prometheus to answer' });
  }

  /** Watches this node from now on.
   *  @param url of its metrics: `http://127.0.0.1:8080` */
  watch(url: string): void {
    const { protocol, host } = new URL(url);
    this.#targets.set(host, protocol.replace(':', ''));
    this.#writeTargets();
  }

  forget(url: string): void {
    this.#targets.delete(new URL(url).host);
    this.#writeTargets();
  }

  /** Names of the alerts that are raised. */
  async firing(): Promise<ReadonlySet<string>> {
    const { data } = await this.#ask('alerts');
    const all = data.alerts as readonly { readonly state: string; readonly labels: { alertname: string } }[];
    return new Set(all.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
  }

  /** Names of all alerts that were raised at some time in the last hours. */
  async raised(): Promise<ReadonlySet<string>> {
    const query = encodeURIComponent(
      'count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[3h]))',
    );
    const { data } = await this.#ask(`query?query=${query}`);
    const all = data.result as readonly { readonly metric: { alertname: string } }[];
    return new Set(all.map(({ metric }) => metric.alertname));
  }

  async end(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async #ask(what: string): Promise<any> {
    return (await fetch(`http://127.0.0.1:${this.#port}/api/v1/${what}`)).json();
  }

  #writeTargets(): void {
    const groups = [...this.#targets].map(([host, scheme]) => ({
      targets: [host],
      labels: { __scheme__: scheme },
    }));
    const file = path.join(this.#folder, 'targets.json');
    mkdirSync(this.#folder, { recursive: true });
    // It reads the file at any time.
    writeFileSync(`${file}.next`, JSON.stringify(groups));
    renameSync(`${file}.next`, file);
  }
}

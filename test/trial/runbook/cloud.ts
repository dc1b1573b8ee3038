import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HOST, PORTS } from '../../../scripts/openstack/place.mjs';
import { Cipher, KEY_BYTES } from '../../../server/src/platform/secrets/cipher.ts';
import { sealCredential } from '../../../server/src/regions/openstack-regions.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../harness/process.ts';
import { waitUntil } from '../../harness/wait.ts';
import { access, cloudSettings, endingCredential } from '../../openstack/calls.ts';
import { Prometheus } from '../prometheus.ts';

/** Entries about regions on OpenStack, tried on an installation of their own: one process, with a region on the OpenStack
 *  of this machine. */

const REGION = 7;
const ENDS_IN_DAYS = 10;

export interface Row {
  readonly heading: string;
  readonly fault: string;
  readonly alert: string;
  readonly did: string;
  readonly recoveredMs: number | undefined;
}

/** A process of Virga, and a Prometheus that watches it. */
class Installation {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'virga-trial-'));
  readonly #dataDir = newDataDir();
  readonly #regions = path.join(this.#folder, 'regions.json');
  readonly #key = randomBytes(KEY_BYTES);
  readonly #prometheus: Prometheus;
  #node: VirgaProcess | undefined;

  /** @param port that is free */
  constructor(port: number) {
    this.#prometheus = new Prometheus(this.#folder, port);
  }

  /** Starts it anew.
   *  @param credential of the region; default: the one that does not end */
  async start(credential?: { readonly id: string; readonly secret: string }): Promise<void> {
    const isFirst = this.#node === undefined;
    if (this.#node) this.#prometheus.forget(this.#node.url);
    await this.#node?.end('SIGTERM');
    const { instances, volumes, ...settings } = cloudSettings('amphora', this.#key);
    const sealed = credential ? { credential: sealCredential(new Cipher([this.#key]), credential) } : {};
    const entry = { id: REGION, name: 'Cloud', provider: 'openstack', settings: { ...settings, ...sealed } };
    writeFileSync(this.#regions, JSON.stringify({ regions: [entry] }));
    this.#node = await startVirga({
      dataDir: this.#dataDir,
      env: { VIRGA_REGIONS: this.#regions, VIRGA_MASTER_KEY: this.#key.toString('base64') },
    });
    if (isFirst) {
      const text = readFileSync(path.join(this.#dataDir, 'credentials'), 'utf8');
      await this.#prometheus.start(/^OPERATOR_TOKEN=(.*)$/m.exec(text)?.[1] ?? '');
    }
    this.#prometheus.watch(this.#node.url);
  }

  raised(alert: string): Promise<unknown> {
    return waitUntil(async () => (await this.#prometheus.firing()).has(alert), { what: alert });
  }

  /** @returns how long it took */
  async gone(alert: string): Promise<number> {
    const since = performance.now();
    await waitUntil(async () => !(await this.#prometheus.firing()).has(alert), { what: `${alert} to go` });
    return performance.now() - since;
  }

  /** What its readiness says of the region. */
  async note(): Promise<string> {
    const text = await (await fetch(`${this.#node?.url}/readyz`)).text();
    return /Region \d+ waits[^"]*/.exec(text)?.[0] ?? 'nothing';
  }

  /** A change of the region goes through. */
  async works(): Promise<boolean> {
    const path = `/cloud/v1/loadbalancers/1/${REGION}`;
    const made = await this.#node?.ended(await this.#node.call('POST', path, { name: 'works' }));
    const [id] = made?.created_resources?.loadbalancers ?? [];
    const gone = await this.#node?.ended(await this.#node.call('DELETE', `${path}/${id}`));
    return made?.state === 'FINISHED' && gone?.state === 'FINISHED';
  }

  async end(): Promise<void> {
    await this.#prometheus.end();
    await this.#node?.end('SIGTERM');
    removeDataDir(this.#dataDir);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The services that a region asks: not what they have behind them, which minds a pause. */
function servicesOfCloud(): readonly number[] {
  const { mariadb, rabbitmq, ...asked } = PORTS;
  const listening = execFileSync('ss', ['-Hltnp', 'src', HOST], { encoding: 'utf8' }).split('\n');
  const own = listening.filter((line) =>
    Object.values(asked).some((port) => line.includes(`${HOST}:${port} `)),
  );
  return own.flatMap((line) => [...line.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid)));
}

async function loseCloud(installation: Installation): Promise<Row> {
  await installation.start();
  await installation.works();
  const cloud = servicesOfCloud();
  for (const pid of cloud) process.kill(pid, 'SIGSTOP');
  let note: string;
  try {
    await installation.raised('VirgaRegionCloudLost');
    note = await installation.note();
  } finally {
    for (const pid of cloud) process.kill(pid, 'SIGCONT');
  }
  const recoveredMs = await installation.gone('VirgaRegionCloudLost');
  const works = (await installation.works()) ? 'went through' : 'failed';
  return {
    heading: 'VirgaRegionCloudLost',
    fault: 'the cloud of a region is frozen',
    alert: 'VirgaRegionCloudLost',
    did: `\`/readyz\` said \`${note}\`; the cloud went on, and a change ${works}`,
    recoveredMs,
  };
}

async function endCredential(installation: Installation): Promise<Row> {
  await installation.start(await endingCredential(ENDS_IN_DAYS));
  await installation.raised('VirgaRegionCredentialEnds');
  await installation.start();
  const recoveredMs = await installation.gone('VirgaRegionCredentialEnds');
  const works = (await installation.works()) ? 'went through' : 'failed';
  return {
    heading: 'VirgaRegionCredentialEnds',
    fault: `the credential of a region ends in ${ENDS_IN_DAYS} days`,
    alert: 'VirgaRegionCredentialEnds',
    did: `another one was sealed, the node was restarted, and a change ${works}`,
    recoveredMs,
  };
}

const TRIED = new Map([
  ['VirgaRegionCloudLost', loseCloud],
  ['VirgaRegionCredentialEnds', endCredential],
]);

/** @param only headings that are asked for, @param port that is free, @param say takes rows and what is not tried here
 *  @throws when an alert was not raised, or did not go */
export async function tryCloudEntries(
  only: RegExp,
  port: number,
  say: (row: Row | string) => void,
): Promise<void> {
  const asked = [...TRIED].filter(([heading]) => only.test(heading));
  if (asked.length > 0 && !access) {
    say(
      `Not tried: ${asked.map(([heading]) => heading).join(', ')}. No OpenStack runs here: npm run openstack -- up`,
    );
    return;
  }
  for (const [, attempt] of asked) {
    const installation = new Installation(port);
    try {
      say(await attempt(installation));
    } finally {
      await installation.end();
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { addressNumber, parseRange } from '../../../server/src/kernel/ip.ts';
import { numbers } from '../../chaos/random.ts';
import { waitUntil } from '../../harness/wait.ts';
import { Lab } from '../lab.ts';
import { measure } from '../sizing/measure.ts';
import { ACTS, type Act, DELETION } from './acts.ts';
import { FAULTS, type Fault, moveBack, type Scene, servedBy } from './faults.ts';
import { leftOf } from './left.ts';
import { isAnswerLost, REGION, Tenant } from './tenant.ts';
import { judge } from './verdict.ts';

/** npm run trial -- tenants: many tenants on two machines, whom an operator suspends, resumes, deletes and acts for while
 *  parts of the cloud are killed. The seed decides what is drawn, in which order. Ends with 1 when anything is lost, left
 *  over or not as it should be. */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    tenants: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    actors: { type: 'string', default: '4' },
    // With so many tenants it measures what they take.
    measure: { type: 'string', default: '' },
    port: { type: 'string', default: '27500' },
  },
});
const [MINUTES, TENANTS, SEED, ACTORS, PORT] = [
  values.minutes,
  values.tenants,
  values.seed,
  values.actors,
  values.port,
].map(Number) as [number, number, number, number, number];
const RANGE = '198.18.79.128/25';
const FAULT_EVERY_MS = 8000;
const PROGRESS_EVERY_MS = 300_000;
const say = (line: string) => process.stdout.write(`${line}\n`);

const range = parseRange(RANGE);
const isOfRange = (address: string) => {
  const { version, value } = addressNumber(address) ?? { version: 6, value: 0n };
  return range !== undefined && version === range.version && value >= range.first && value <= range.last;
};

/** Counts what was done, and keeps what was not as it should be. */
const counts = new Map<string, number>();
const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
const faults: string[] = [];
const note = (fault: string) => {
  faults.push(fault);
  process.stderr.write(`${fault}\n`);
};
const expectedAlerts = new Set<string>();

function draw<T extends { readonly weight: number }>(all: readonly T[], random: () => number): T {
  let at = random() * all.reduce((sum, { weight }) => sum + weight, 0);
  return all.find(({ weight }) => {
    at -= weight;
    return at < 0;
  }) as T;
}

class Trial {
  readonly tenants: Tenant[] = [];
  readonly #lab: Lab;
  readonly #scene: Scene;
  readonly #random = numbers(SEED);
  readonly #chance = numbers(SEED + 1);
  #number = 0;
  #running = 0;
  #isPaused = false;
  #isOver = false;

  constructor(lab: Lab, scene: Omit<Scene, 'tenants'>) {
    this.#lab = lab;
    this.#scene = { ...scene, tenants: this.tenants };
  }

  async signUp(keeps: Tenant['keeps']): Promise<void> {
    const tenant = new Tenant(this.#lab, `tenant-${SEED}-${this.#number++}`, keeps);
    try {
      await tenant.create();
    } catch (error) {
      // What is shown once, such as a key, cannot be had again.
      if (!isAnswerLost(String(error))) throw error;
      count('an answer was lost with its process, so that another tenant was signed up');
      return this.signUp(keeps);
    }
    for (let writes = 0; writes < 3; writes++) await tenant.write();
    this.tenants.push(tenant);
  }

  async run(ms: number): Promise<void> {
    const begun = performance.now();
    const over = begun + ms;
    let reportAt = begun + PROGRESS_EVERY_MS;
    const actors = Array.from({ length: ACTORS }, () => this.#act());
    while (performance.now() < over) {
      await delay(FAULT_EVERY_MS * (0.5 + this.#chance()));
      await this.#fail(draw(FAULTS, this.#chance), Math.floor(this.#chance() * 1e6));
      if (performance.now() < reportAt) continue;
      reportAt += PROGRESS_EVERY_MS;
      const done = [...counts.values()].reduce((sum, times) => sum + times, 0);
      say(
        `${Math.round((performance.now() - begun) / 60_000)} of ${ms / 60_000} minutes: ${done} acts and faults, ${faults.length} not as they should be`,
      );
    }
    this.#isOver = true;
    await Promise.all(actors);
    for (const tenant of this.tenants.filter(({ suspended }) => suspended !== undefined))
      await this.#do(ACTS.find(({ name }) => name === 'resume') as Act, tenant, 0);
  }

  async #fail(fault: Fault, drawn: number): Promise<void> {
    count(fault.name);
    for (const alert of fault.alerts ?? []) expectedAlerts.add(alert);
    this.#isPaused = fault.alone === true;
    try {
      if (fault.alone) await waitUntil(() => this.#running === 0, { what: 'acts to end' });
      await fault.run(this.#scene, drawn);
      // Databases and storages are where the region was.
      if (fault.alone === undefined && (await servedBy(this.#lab)) === 'machine-2') {
        count(`moved to the other machine without the loss of a machine, when ${fault.name}`);
        await moveBack(this.#lab);
      }
    } catch (error) {
      note(`${fault.name}: ${String(error)}`);
    }
    this.#isPaused = false;
  }

  async #act(): Promise<void> {
    while (!this.#isOver) {
      const act = draw(ACTS, this.#random);
      const tenant = this.tenants[Math.floor(this.#random() * this.tenants.length)];
      const drawn = Math.floor(this.#random() * 1e6);
      if (this.#isPaused || tenant === undefined || tenant.isBusy || !act.fits(tenant)) {
        await delay(5);
        continue;
      }
      tenant.isBusy = true;
      await this.#do(act, tenant, drawn);
      tenant.isBusy = false;
    }
  }

  async #do(act: Act, tenant: Tenant, drawn: number): Promise<void> {
    this.#running += 1;
    try {
      await act.run(tenant, drawn);
      count(act.name);
      if (act.name === DELETION) await this.#replace(tenant);
    } catch (error) {
      note(`${act.name}, ${tenant.name}: ${String(error)}`);
    } finally {
      this.#running -= 1;
    }
  }

  async #replace(tenant: Tenant): Promise<void> {
    for (const left of await leftOf(tenant)) note(left);
    tenant.close();
    this.tenants.splice(this.tenants.indexOf(tenant), 1);
    await this.signUp(tenant.keeps);
  }
}

const lab = await Lab.start({
  port: PORT,
  regions: [
    {
      id: REGION,
      name: 'Both',
      provider: 'local',
      nodes: ['machine-1', 'machine-2'],
      addresses: [{ range: RANGE, interface: 'eth0' }],
      external_services: ['postgresql', 'object_storage'],
    },
  ],
});
let good = false;
try {
  const second = lab.workerOn('machine-1', { VIRGA_PROBE_PORT: '8082' });
  await second.start();
  if ((await servedBy(lab)) !== 'machine-1') await moveBack(lab);
  const trial = new Trial(lab, { lab, second });
  const since = performance.now();
  const sizes = values.measure.split(',').map(Number);
  for (let number = 0; number < TENANTS; number++) {
    await trial.signUp(number % 2 === 0 ? 'database' : 'bucket');
    if (!sizes.includes(number + 1)) continue;
    for (const row of await measure(lab, REGION, number + 1)) say(row);
  }
  say(`${TENANTS} tenants signed up in ${Math.round((performance.now() - since) / 1000)} s`);
  await trial.run(MINUTES * 60_000);
  say('| what | how often |');
  say('|---|---|');
  for (const [name, times] of [...counts].sort()) say(`| ${name} | ${times} |`);
  say('');
  const verdict = await judge(lab, trial.tenants, isOfRange);
  const raised = await lab.prometheus.raised();
  const missing = [...expectedAlerts].filter((alert) => !raised.has(alert));
  say(`Kept: ${verdict.kept} rows and objects; lost: ${verdict.lost}.`);
  say(
    `Alerts that should be raised: ${[...expectedAlerts].join(', ') || 'none'}; missing: ${missing.join(', ') || 'none'}.`,
  );
  say(`Raised: ${[...raised].sort().join(', ') || 'none'}.`);
  const wrong = [...faults, ...verdict.faults];
  for (const fault of wrong) say(`not as it should be: ${fault}`);
  good = wrong.length === 0 && verdict.lost === 0 && missing.length === 0;
  if (!good) say(`What the workers said is in ${lab.keepLogs([second, ...lab.workers.values()])}`);
  await second.end('SIGKILL');
} finally {
  await lab.end();
  lab.removeFolder();
}
process.exit(good ? 0 : 1);

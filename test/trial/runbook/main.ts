import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { mountDisk } from '../../harness/disk.ts';
import { Clients as Askers } from '../../harness/machines.ts';
import { waitUntil } from '../../harness/wait.ts';
import { Caller } from '../caller.ts';
import { CLIENTS, Lab } from '../lab.ts';
import { Attempt, type Entry, type Web } from './attempt.ts';
import { type Row, tryCloudEntries } from './cloud.ts';
import { POSTGRES_DISK, platformEntries } from './platform.ts';
import { BOTH, regionEntries, regionsOf } from './regions.ts';
import { requestEntries } from './requests.ts';
import { taskEntries } from './tasks.ts';
import { tenantEntries } from './tenants.ts';

/** npm run trial -- runbook: makes happen what docs/runbook.md is about, does what stands there, and prints what came of
 *  it. Ends with 1 when an alert was not raised, or a command of an entry was not tried. */

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, port: { type: 'string', default: '27450' } },
});
const ONLY = new RegExp(values.only, 'i');
const DISK_BYTES = 700 * 2 ** 20;
const RUNBOOK = readFileSync(path.join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');

const say = (line: string) => process.stdout.write(`${line}\n`);
const seconds = (ms: number | undefined) => (ms === undefined ? 'no' : `${(ms / 1000).toFixed(1)} s`);

/** Commands that stand in an entry; those with an option beside it are in the table of the command. */
function commandsOf(heading: string): string[] {
  const entry = RUNBOOK.split(/^### /m).find((part) => part.startsWith(`${heading}\n`));
  if (entry === undefined) throw new Error(`docs/runbook.md has no entry "${heading}"`);
  return [...entry.matchAll(/(?:^|`)virga ([a-z-]+ [a-z-]+)/gm)].map(([, name = '']) => name);
}

const HEAD = `| entry | fault | alert | what was done, and what it did | recovered | load balancer silent for |
|---|---|---|---|---|---|`;
const sayRow = ({ heading, fault, alert, did, recoveredMs }: Row, silent: string) =>
  say(`| ${heading} | ${fault} | ${alert} | ${did} | ${seconds(recoveredMs)} | ${silent} |`);

/** Follows what happens to a load balancer, and needs a person. */
const BY_HAND = ['lb watch'];

async function setUp(lab: Lab, as: Caller): Promise<Web> {
  const made = await as.ended(await as.call('POST', `/cloud/v1/loadbalancers/1/${BOTH}`, lab.web('web')));
  const id = made.created_resources.loadbalancers[0];
  const { body } = await as.call('GET', `/cloud/v1/loadbalancers/1/${BOTH}/${id}`);
  return { id, url: lab.webUrl(body.vip_address) };
}

async function tryEntry(lab: Lab, as: Caller, web: Web, entry: Entry): Promise<boolean> {
  const attempt = new Attempt(lab, as, web, entry.alerts);
  const askers = new Askers(lab.segment.enter(CLIENTS), web.url);
  await waitUntil(() => askers.answered > 20, { what: 'clients to be answered' });
  const faults: string[] = [];
  const did = await entry.try(attempt).catch((error: unknown) => {
    faults.push(String(error));
    return 'it failed';
  });
  const { longestGap } = await askers.stop();
  const missing = entry.alerts.filter((name) => !attempt.raised.has(name));
  faults.push(...missing.map((name) => `${name} was not raised`));
  faults.push(
    ...commandsOf(entry.heading)
      .filter((command) => !attempt.commands.has(command) && !BY_HAND.includes(command))
      .map((command) => `"virga ${command}" was not tried`),
  );
  const { heading, fault } = entry;
  const alert = [...attempt.raised].join(', ') || 'none';
  sayRow({ heading, fault, alert, did, recoveredMs: attempt.recoveredMs }, seconds(longestGap));
  for (const fault of faults) say(`not as it should be: ${entry.heading}: ${fault}`);
  return faults.length === 0;
}

const entries = [
  ...platformEntries,
  ...requestEntries,
  ...taskEntries,
  ...tenantEntries,
  ...regionEntries,
].filter(({ heading }) => ONLY.test(heading));
const PORT = Number(values.port);

/** @returns whether all was as it should be */
async function tryEntries(): Promise<boolean> {
  const disks: string[] = [];
  let lab: Lab | undefined;
  let good = true;
  try {
    lab = await Lab.start({
      port: PORT,
      regions: regionsOf('machine-1'),
      postgresIn: (folder) => {
        const disk = path.join(folder, POSTGRES_DISK);
        mkdirSync(disk);
        mountDisk(disk, DISK_BYTES);
        disks.push(disk);
        return disk;
      },
    });
    const as = new Caller(lab.url);
    const web = await setUp(lab, as);
    say(HEAD);
    for (const entry of entries) good = (await tryEntry(lab, as, web, entry)) && good;
  } finally {
    if (lab && !good) process.stderr.write(`logs of the workers: ${lab.keepLogs(lab.workers.values())}\n`);
    await lab?.end();
    for (const disk of disks) execFileSync('umount', ['--lazy', disk]);
    lab?.removeFolder();
  }
  return good;
}

const good = entries.length === 0 || (await tryEntries());
await tryCloudEntries(ONLY, PORT, (row) => (typeof row === 'string' ? say(row) : sayRow(row, 'not asked')));
process.exit(good ? 0 : 1);

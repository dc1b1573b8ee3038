import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountOf } from '../../server/src/kernel/engine-accounts.ts';
import { isolationOfHost } from '../../server/src/kernel/isolation.ts';
import { allPids } from '../../server/src/kernel/processes.ts';
import { run } from '../../server/src/providers/local/host/programs.ts';
import { makeCertificate } from '../../server/src/providers/local/load-balancers/test-support/certificates.ts';
import {
  listener,
  loadBalancer,
} from '../../server/src/providers/local/load-balancers/test-support/desired.ts';
import {
  startProvider,
  type TestProvider,
} from '../../server/src/providers/local/load-balancers/test-support/provider.ts';
import { type LocalClusters, startLocalClusters } from '../harness/local-postgresql.ts';

/** A tenant has got into the account of one of its engines: what can it do to others on this machine? */

/** Tries everything that it is told of, and says what worked. */
const HOSTILE = `
const fs = require('node:fs');
const { files, pids } = JSON.parse(fs.readFileSync(process.argv[1], 'utf8'));
const works = (attempt) => { try { attempt(); return true; } catch { return false; } };
const open = (file, flags) => fs.closeSync(fs.openSync(file, flags));
console.log(JSON.stringify({
  read: files.filter((file) => works(() => fs.statSync(file).isDirectory() ? fs.readdirSync(file) : open(file, 'r'))),
  written: files.filter((file) => works(() => fs.statSync(file).isDirectory() ? fs.writeFileSync(file + '/hostile', '') : open(file, 'r+'))),
  signalled: pids.filter((pid) => works(() => process.kill(pid, 0))),
  environments: pids.filter((pid) => works(() => fs.readFileSync('/proc/' + pid + '/environ'))),
  seen: pids.filter((pid) => works(() => fs.readFileSync('/proc/' + pid + '/cmdline'))),
  becomesRoot: works(() => process.setuid(0)),
  status: fs.readFileSync('/proc/self/status', 'utf8'),
}));`;

interface Outcome {
  readonly read: readonly string[];
  readonly written: readonly string[];
  readonly signalled: readonly number[];
  readonly environments: readonly number[];
  readonly seen: readonly number[];
  readonly becomesRoot: boolean;
  readonly status: string;
}

const everythingBelow = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name))),
];

// Without root there is one account only, and the server says so when it starts.
describe.runIf(process.getuid?.() === 0)('a hostile process with the account of an engine', () => {
  let clusters: LocalClusters;
  let site: TestProvider;
  const homes: string[] = [];

  beforeAll(async () => {
    clusters = await startLocalClusters();
    const [own, other] = [await clusters.create(), await clusters.create()];
    site = startProvider();
    const { certificate, privateKey } = makeCertificate(['tenant.test']);
    const made = [];
    for (const name of ['first', 'second']) {
      const vipAddress = await site.addresses.allocateAddress(new Set());
      const shown = { id: name, certificate, chain: null, privateKey };
      const front = listener({ protocol: 'TERMINATED_HTTPS', port: 8443, certificates: [shown] });
      const balancer = loadBalancer({ vipAddress, listeners: [front] });
      await site.apply(balancer);
      made.push(balancer);
    }
    homes.push(
      ...[own, other].map(({ id }) => path.join(clusters.root, id)),
      ...made.map(({ id }) => path.join(site.dataDir, 'load-balancers', id)),
    );
  });
  afterAll(async () => {
    await clusters.close();
    await site.close();
  });

  const uidOf = (home: string) => accountOf(home)?.uid;
  const processesOf = (home: string) =>
    allPids().filter((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uidOf(home));

  async function attack(home: string): Promise<Outcome> {
    const files = [clusters.root, site.dataDir].flatMap(everythingBelow);
    const list = path.join(home, 'list');
    writeFileSync(list, JSON.stringify({ files, pids: allPids() }), { mode: 0o644 });
    const { output } = await run(process.execPath, ['-e', HOSTILE, list], { home });
    rmSync(list);
    return JSON.parse(output);
  }

  test('no two of them have the same account, and each has processes', () => {
    expect(new Set(homes.map(uidOf)).size).toBe(4);
    for (const home of homes) expect(processesOf(home).length).toBeGreaterThan(0);
  });

  test.each([
    ['a cluster', 0],
    ['a load balancer', 2],
  ])('of %s reads, writes and signals nothing of another tenant', async (_, index) => {
    const own = homes[index] ?? '';
    const { read, written, signalled, environments, seen, becomesRoot, status } = await attack(own);
    const others = homes.filter((home) => home !== own);
    const foreign = others.flatMap(processesOf);
    // It is really in: what is its own, it reaches.
    expect(read.some((file) => file.startsWith(`${own}${path.sep}`))).toBe(true);
    const isOwn = (file: string) => file.startsWith(own) || statSync(file).uid === uidOf(own);
    const reached = [...read, ...written].filter((file) => !isOwn(file));
    expect(reached.filter((file) => others.some((home) => file.startsWith(home)))).toEqual([]);
    expect(reached.filter((file) => !/\/(?:addresses\.json|empty|origin|identity)$/.test(file))).toEqual([]);
    expect(written.filter((file) => !isOwn(file))).toEqual([]);
    expect(signalled.filter((pid) => foreign.includes(pid) || pid === process.pid)).toEqual([]);
    expect(environments.filter((pid) => foreign.includes(pid) || pid === process.pid)).toEqual([]);
    if (isolationOfHost().hiddenProcesses) expect(seen.filter((pid) => foreign.includes(pid))).toEqual([]);
    expect(becomesRoot).toBe(false);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
      expect(status).toMatch(new RegExp(`^Cap${set}:\\t0+$`, 'm'));
  });

  test.runIf(isolationOfHost().temporaryFolders)('has temporary folders of its own', async () => {
    // A home in a temporary folder would keep it from that.
    mkdirSync('/var/lib/virga-accounts', { recursive: true, mode: 0o711 });
    const folder = mkdtempSync('/var/lib/virga-test-');
    const shared = mkdtempSync('/tmp/virga-shared-');
    try {
      const [one, two] = ['one', 'two'].map((name) => path.join(folder, name));
      rmSync(folder, { recursive: true });
      mkdirSync(folder, { mode: 0o711 });
      const ls = async (home = '') => (await run('/bin/ls', ['-A', '/tmp', '/var/tmp'], { home })).output;
      await run('/bin/sh', ['-c', 'cd /tmp && touch left'], { home: one ?? '' });
      expect(await ls(one)).not.toContain(path.basename(shared));
      expect(await ls(two)).not.toContain('left');
      expect(readdirSync('/tmp')).not.toContain('left');
    } finally {
      rmSync(folder, { recursive: true });
      rmSync(shared, { recursive: true });
    }
  });
});

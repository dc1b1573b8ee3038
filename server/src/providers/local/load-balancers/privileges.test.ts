import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everybodyCanRead } from '../../../../../test/harness/readable.ts';
import { allPids, commandLine } from '../../../kernel/processes.ts';
import { startBackend } from './test-support/backend.ts';
import { makeCertificate } from './test-support/certificates.ts';
import { listener, loadBalancer } from './test-support/desired.ts';
import { startProvider } from './test-support/provider.ts';

const isRoot = process.getuid?.() === 0;

test('files with secrets are for their owner alone, and no command line has any', async () => {
  const site = startProvider();
  const own = makeCertificate(['secret.test']);
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const certificate = { id: 'own', certificate: own.certificate, chain: null, privateKey: own.privateKey };
  const front = listener({ protocol: 'TERMINATED_HTTPS', port: 8443, certificates: [certificate] });
  const lb = loadBalancer({ vipAddress, listeners: [front] });
  await site.apply(lb);
  const root = join(site.dataDir, 'load-balancers');
  const files = readdirSync(root, { recursive: true, withFileTypes: true });
  const withKey = files.filter((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && readFileSync(path, 'utf8').includes('PRIVATE KEY');
  });
  expect(withKey.length).toBe(1);
  for (const entry of withKey) {
    const file = statSync(join(entry.parentPath, entry.name));
    expect([file.mode & 0o777, file.uid]).toEqual([isRoot ? 0o640 : 0o600, process.getuid?.()]);
    expect(statSync(entry.parentPath).mode & 0o777).toBe(isRoot ? 0o710 : 0o700);
  }
  const pids = allPids().filter((pid) => commandLine(pid).some((word) => word.includes(lb.id)));
  expect(pids.length).toBe(1);
  const status = readFileSync(`/proc/${pids[0]}/status`, 'utf8');
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
  expect(uid).not.toBe(0);
  // To open low ports, and to lock itself in; it can get no others, and neither can what it starts.
  const allowed = isRoot ? '0000000000040400' : '0000000000000000';
  expect(/^CapEff:\s+(\S+)/m.exec(status)?.[1]).toBe(allowed);
  if (isRoot) expect(/^CapBnd:\s+(\S+)/m.exec(status)?.[1]).toBe(allowed);
  if (isRoot) expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  await site.apply({ ...lb, version: 2, listeners: [] });
  expect(readdirSync(join(root, lb.id, 'certificates'))).toEqual([]);
  await site.close();
});

/** Runs a script of this folder as an unprivileged user. @returns what it printed */
function runAsNobody(script: string, words: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...words], {
    uid: 65_534,
    gid: 65_534,
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.once('close', () => resolve(output)));
}

test.runIf(isRoot && everybodyCanRead(import.meta.dirname))(
  'an ordinary user has load balancers too, and learns what a low port needs',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'virga-nobody-'));
    chownSync(dataDir, 65_534, 65_534);
    const backend = await startBackend('reached');
    const script = join(import.meta.dirname, 'test-support', 'as-ordinary-user.ts');
    const output = await runAsNobody(script, [dataDir, `${backend.port}`]);
    expect(output).toContain('high port: reached');
    expect(output).toMatch(/IPv6: This server may not add IPv6 addresses .* CAP_NET_ADMIN/);
    expect(output).toContain('UDP: served');
    expect(output).toMatch(
      /low port: TCP port 80 of 127\.77\.\S+ needs a permission .* "sysctl net\.ipv4\.ip_unprivileged_port_start=80"/,
    );
    expect(output).toContain('left behind: 0');
    await backend.kill();
    rmSync(dataDir, { recursive: true, force: true });
  },
);

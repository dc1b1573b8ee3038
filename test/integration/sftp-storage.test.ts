import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdNextLook } from '../harness/held-look.ts';
import { processesIn } from '../harness/leftovers.ts';
import { startLocalServer } from '../harness/regions.ts';
import type { TestServer } from '../harness/server.ts';
import { connectSftp, type Files } from '../harness/sftp.ts';
import { waitUntil } from '../harness/wait.ts';

/** SFTP storages of a local region are real: clients work against what the API gave. */

const STORAGES = '/storage/v4/sftp_storages';
const KEYS = '/storage/v4/ssh_keys';

let server: TestServer;
let work: string;
let made: { id: number; address: string; full_name: string; password: string };
let keyId: number;
let files: Files;

const call = (method: string, where: string, body?: unknown) =>
  server.call(method, where, body === undefined ? {} : { body });
const home = (id = made.id) => path.join(server.dataDir, 'regions', '1', 'sftp-storage', `storage-${id}`);
const pidOf = () => Number(readFileSync(path.join(home(), 'server.pid'), 'utf8'));
const withPassword = (password = made.password) =>
  connectSftp({ address: made.address, username: made.full_name, password });
const withKey = () =>
  connectSftp({
    address: made.address,
    username: made.full_name,
    privateKey: readFileSync(path.join(work, 'id'), 'utf8'),
  });

async function make(name: string, more: object = { password_mode: 'auto' }) {
  const { status, body } = await call('POST', STORAGES, { location_name: 'here', name, ...more });
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}

/** The command of OpenSSH. @returns what it says */
async function sftp(commands: readonly string[]): Promise<string> {
  const batch = path.join(work, 'batch');
  writeFileSync(batch, `${commands.join('\n')}\n`);
  const { stdout, stderr } = await openssh('sftp', ['-q', '-b', batch, hostOf(made)]);
  return stdout + stderr;
}

/** @throws with the exit code as `code`, when it is not 0 */
function openssh(program: 'sftp' | 'scp' | 'ssh', words: readonly string[]) {
  const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${work}/known`, 'IdentitiesOnly=yes'];
  const port = [program === 'ssh' ? '-p' : '-P', new URL(made.address).port];
  const common = [...options.flatMap((option) => ['-o', option]), '-i', path.join(work, 'id'), ...port];
  return promisify(execFile)(program, [...common, ...words]);
}
const hostOf = ({ full_name, address }: Pick<typeof made, 'full_name' | 'address'>) =>
  `${full_name}@${new URL(address).hostname}`;

beforeAll(async () => {
  server = await startLocalServer();
  work = mkdtempSync(path.join(server.dataDir, 'client-'));
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(work, 'id')]);
  const publicKey = readFileSync(path.join(work, 'id.pub'), 'utf8');
  keyId = (await call('POST', KEYS, { name: 'laptop', public_key: publicKey })).body.id;
  made = await make('deliveries', { password_mode: 'auto', ssh_key_ids: [keyId] });
  files = await withPassword();
});
afterAll(async () => {
  files.end();
  await server.close();
});

test("OpenSSH's client uploads, lists, renames, downloads and removes", async () => {
  const content = Buffer.alloc(3_000_000, 'abc');
  writeFileSync(path.join(work, 'large'), content);
  mkdirSync(path.join(work, 'tree', 'inner'), { recursive: true });
  writeFileSync(path.join(work, 'tree', 'inner', 'a.txt'), 'hello');
  const said = await sftp([
    'mkdir in',
    `put -p ${work}/large in/large`,
    `put -R ${work}/tree in`,
    'ls -l in',
    'rename in/large in/moved',
    `get in/moved ${work}/back`,
    'rm in/tree/inner/a.txt',
    'pwd',
  ]);
  expect(said).toContain('3000000');
  expect(said).toContain('Remote working directory: /');
  expect(readFileSync(path.join(work, 'back')).equals(content)).toBe(true);
  expect((await files.names('/in/tree/inner')).sort()).toEqual([]);
});

test('scp ends with 0 after a whole upload, a file is renamed over another one, and df has an answer', async () => {
  writeFileSync(path.join(work, 'new'), 'new');
  await files.write('/taken', 'old');
  await openssh('scp', ['-q', path.join(work, 'new'), `${hostOf(made)}:sent`]);
  expect(await files.read('/sent')).toBe('new');
  expect(await sftp(['rename sent taken', 'df'])).toMatch(/Avail[^\n]*\n\s+\d+/);
  expect(await files.read('/taken')).toBe('new');
  await sftp(['rm taken']);
});

test('every channel ends with its status: whole trees, what is missing, and what is no SFTP', async () => {
  const trees = await make('trees', { password_mode: 'none', ssh_key_ids: [keyId] });
  const host = hostOf(trees);
  mkdirSync(path.join(work, 'many', 'deep'), { recursive: true });
  for (let i = 0; i < 30; i += 1)
    writeFileSync(path.join(work, 'many', 'deep', `${i}`), Buffer.alloc(70_000, i));
  await openssh('scp', ['-q', '-r', '-p', path.join(work, 'many'), `${host}:`]);
  await openssh('scp', ['-q', '-r', `${host}:many`, path.join(work, 'again')]);
  expect(readFileSync(path.join(work, 'again', 'deep', '29')).equals(Buffer.alloc(70_000, 29))).toBe(true);
  await openssh('sftp', ['-q', `${host}:many/deep/7`, path.join(work, 'seven')]);
  const fails = (program: 'sftp' | 'scp' | 'ssh', words: readonly string[]) =>
    expect(openssh(program, words)).rejects;
  await fails('scp', ['-q', `${host}:missing`, work]).toMatchObject({ code: 1 });
  await fails('scp', ['-q', path.join(work, 'new'), `${host}:no/such/folder`]).toMatchObject({ code: 1 });
  await fails('scp', ['-O', path.join(work, 'new'), `${host}:old`]).toThrow('exec request failed');
  await fails('ssh', [host, 'id']).toThrow('exec request failed');
  await fails('ssh', ['-T', host]).toThrow('shell request failed');
  await fails('ssh', ['-s', host, 'other']).toThrow('subsystem request failed');
  await call('DELETE', `${STORAGES}/${trees.id}`);
});

test('a password opens it, a wrong one and a wrong name do not', async () => {
  await files.write('/by-password.txt', 'hello');
  expect(await files.read('/by-password.txt')).toBe('hello');
  await expect(withPassword('a-wrong-password')).rejects.toThrow('authentication');
  const wrong = { address: made.address, username: '1-other', password: made.password };
  await expect(connectSftp(wrong)).rejects.toThrow('authentication');
  const unnamed = { address: made.address, username: made.full_name };
  await expect(connectSftp(unnamed)).rejects.toThrow('authentication');
});

test('nothing beyond the folder is shown or changed, whatever leads there', async () => {
  const data = path.join(home(), 'data');
  const secret = path.join(server.dataDir, 'secret');
  writeFileSync(secret, 'not for clients', { mode: 0o644 });
  symlinkSync(secret, path.join(data, 'link'));
  symlinkSync(server.dataDir, path.join(data, 'away'));
  const targets = ['/link', '/away/secret', `/../../../../../../../..${secret}`, secret];
  for (const target of targets) {
    await expect(files.read(target), target).rejects.toThrow('no such file');
    await expect(files.write(target, 'x'), target).rejects.toThrow('no such file');
  }
  await expect(files.names('/away')).rejects.toThrow('no such');
  await expect(files.link('/etc/passwd', '/mine')).rejects.toThrow('no links');
  expect(await files.names('/')).not.toContain('link');
  expect(await files.names('/..')).toContain('by-password.txt');
  expect(readFileSync(secret, 'utf8')).toBe('not for clients');
  for (const name of ['link', 'away']) unlinkSync(path.join(data, name));
});

test('it is no shell, and its program is not that of root', async () => {
  await expect(files.run('id')).rejects.toThrow();
  const status = readFileSync(`/proc/${pidOf()}/status`, 'utf8');
  expect(/^Uid:\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1)).not.toContain('0');
  if (process.getuid?.() !== 0) return;
  expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000000');
  expect(/^Groups:[ \t]*(.*)$/m.exec(status)?.[1]?.trim()).toBe('');
});

test('who may no longer sign in is out when the call is answered', async () => {
  const byKey = await withKey();
  expect(await byKey.names('/')).toContain('by-password.txt');
  const changed = await call('PATCH', `${STORAGES}/${made.id}`, { ssh_key_ids: [] });
  expect([changed.status, changed.body.ssh_key_ids]).toEqual([200, []]);
  await byKey.ended;
  await expect(withKey()).rejects.toThrow('authentication');
  expect(await files.names('/')).toContain('by-password.txt');
  await call('PATCH', `${STORAGES}/${made.id}`, { ssh_key_ids: [keyId] });
  const again = await withKey();
  expect((await call('DELETE', `${KEYS}/${keyId}`)).status).toBe(204);
  await again.ended;
  await expect(withKey()).rejects.toThrow('authentication');
  const renewed = await call('PATCH', `${STORAGES}/${made.id}`, { password_mode: 'auto' });
  await files.ended;
  await expect(withPassword()).rejects.toThrow('authentication');
  made = { ...made, password: renewed.body.password };
  files = await withPassword();
});

test('a password that was changed while all storages were being looked at stays changed', async () => {
  const provider = server.providers.of('sftpStorage')(1);
  const look = provider?.observeSftpStorages;
  if (!provider || !look) throw new Error('nobody looks after storages');
  const set = (observeSftpStorages: typeof look) => Object.assign(provider, { observeSftpStorages });
  const goOn = await holdNextLook(look, set);
  const { body } = await call('PATCH', `${STORAGES}/${made.id}`, { password_mode: 'auto' });
  await files.ended;
  await goOn();
  const before = made.password;
  made = { ...made, password: body.password };
  await expect(withPassword(before)).rejects.toThrow('authentication');
  files = await withPassword();
});

test('when its time is over nobody gets in', async () => {
  const other = await make('short-lived', { password_mode: 'auto', expires: '2 seconds' });
  const opens = () =>
    connectSftp({ address: other.address, username: other.full_name, password: other.password }).then(
      (opened) => {
        opened.end();
        return true;
      },
      () => false,
    );
  await waitUntil(async () => !(await opens()), { what: 'the storage to be closed' });
  await call('PATCH', `${STORAGES}/${other.id}`, { expires: '' });
  expect(await opens()).toBe(true);
  await call('DELETE', `${STORAGES}/${other.id}`);
});

test('what is used is measured, as that of S3', async () => {
  await waitUntil(
    async () => {
      const { body } = await call('GET', '/virga/v1/storage_usage');
      const row = body.results.find((each: { storage_name: string }) => each.storage_name === 'deliveries');
      return row?.used_space === 3_000_005 && row.files_quantity === 2;
    },
    { what: 'the files to be counted' },
  );
  const { body } = await call('POST', '/storage/stats/v1/storage/usage/series', { storages: ['deliveries'] });
  const stats = body.data.clients['1'].locations.here.storages.deliveries;
  // What other tests wrote and removed may have been counted, too.
  expect(stats.size_sum_max).toBeGreaterThanOrEqual(3_000_005);
  expect(stats.size_sum_max).toBeLessThan(6_000_000);
  expect(stats.buckets_series).toEqual({});
  expect(stats.traffic_in_sum).toBeGreaterThan(3_000_000);
  expect(stats.traffic_out_wo_edges_sum).toBeGreaterThan(3_000_000);
  expect(stats.requests_in_sum).toBeGreaterThanOrEqual(6);
});

test('when its server is killed it comes back with all files', async () => {
  const pid = pidOf();
  process.kill(pid, 'SIGKILL');
  await files.ended;
  files = await waitUntil(async () => withPassword().catch(() => undefined), {
    what: 'the storage to be back',
  });
  expect(await files.read('/by-password.txt')).toBe('hello');
  expect(pidOf()).not.toBe(pid);
});

test('it serves on, untouched, when another server takes the region over', async () => {
  const pid = pidOf();
  await server.restart();
  expect(await files.read('/by-password.txt')).toBe('hello');
  expect(pidOf()).toBe(pid);
});

test('deleting ends its program and removes its files', async () => {
  const gone = await make('gone');
  expect(processesIn(home(gone.id)).length).toBe(1);
  expect((await call('DELETE', `${STORAGES}/${gone.id}`)).status).toBe(204);
  expect(processesIn(home(gone.id))).toEqual([]);
  expect(readdirSync(path.dirname(home())).filter((name) => name.startsWith(`storage-${gone.id}`))).toEqual(
    [],
  );
  const { hostname, port } = new URL(gone.address);
  const refused = new Promise((_resolve, reject) => {
    connect({ host: hostname, port: Number(port) }).once('error', reject);
  });
  await expect(refused).rejects.toThrow('ECONNREFUSED');
});

import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { blockedBy } from '../kernel/accounts.ts';
import { OWN_COMMANDS } from '../kernel/own-commands.ts';
import { endGroup } from '../kernel/processes.ts';
import { isAtLeast } from './debian.ts';
import { EngineError } from './engine.ts';
import { inPath } from './locations.ts';
import { probeAccount, run } from './run.ts';

/** How each engine is used for a moment, to see that it works here. */

const firstLine = (text: string) => text.trim().split('\n')[0] ?? '';

export async function probeHaproxy(program: string): Promise<string> {
  return inFolder(async (folder) => {
    const file = path.join(folder, 'probe.cfg');
    const conf = 'defaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\n';
    // It is read and checked, and nothing is listened on.
    writeFileSync(file, `${conf}frontend one\n  bind 127.0.0.1:9\n`);
    const as = probeAccount();
    await run(program, ['-c', '-f', file], { as });
    return firstLine(await run(program, ['-v'], { as }));
  });
}

/** With the part that carries UDP. */
export async function probeNginx(program: string): Promise<string> {
  return inFolder(async (folder) => {
    const file = path.join(folder, 'nginx.conf');
    const module = '/usr/lib/nginx/modules/ngx_stream_module.so';
    const words = ['-t', '-q', '-p', folder, '-c', file, '-e', 'stderr'];
    const conf = `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nstream {}\n`;
    const as = probeAccount();
    writeFileSync(file, `load_module ${module};\n${conf}`);
    await run(program, words, { as }).catch(async (error) => {
      // Some builds have it within.
      writeFileSync(file, conf);
      await run(program, words, { as }).catch(() => {
        throw error;
      });
    });
    return firstLine(await run(program, ['-v'], { as }));
  });
}

export async function probePing(program: string): Promise<string> {
  await run(program, ['-n', '-q', '-c', '1', '-W', '2', '127.0.0.1'], { as: probeAccount() });
  return firstLine(await run(program, ['-V'], { as: probeAccount() }).catch(() => 'ping'));
}

export async function probeCoredns(program: string): Promise<string> {
  return firstLine(await run(program, ['-version'], { as: probeAccount() }));
}

/** What containerd needs to run pods for a node of Kubernetes. */
const BESIDE_CONTAINERD = ['ctr', 'runc', 'nft', 'unshare'];
const CNI_PLUGINS = ['loopback', 'ptp', 'host-local'].map((name) => `/usr/lib/cni/${name}`);
const SHELLS = ['/bin/busybox', '/usr/bin/busybox'];
/** What a node of Kubernetes does at its start, with a disk of its own in memory. */
const NODE_SCRIPT = [
  'set -e',
  'mount -t tmpfs node "$0"',
  'mkdir "$0/lower" "$0/upper" "$0/work" "$0/both"',
  'mount -t overlay -o lowerdir="$0/lower",upperdir="$0/upper",workdir="$0/work",userxattr both "$0/both"',
].join('; ');

export async function probeContainerd(program: string): Promise<string> {
  const version = firstLine(await run(program, ['--version'], { as: probeAccount() }));
  const missing = [
    ...BESIDE_CONTAINERD.filter((name) => inPath(name) === undefined),
    ...CNI_PLUGINS.filter((file) => !existsSync(file)),
    ...(SHELLS.some(existsSync) ? [] : SHELLS.slice(0, 1)),
  ];
  if (missing.length > 0) throw new EngineError(`${missing.join(', ')}: not on this machine`);
  if (process.getuid?.() !== 0) throw new EngineError('nodes that run pods can only be started by root');
  return inFolder(async (folder) => {
    const words = ['--user', '--map-root-user', '--mount', '--net', '--pid', '--fork', '/bin/sh', '-c'];
    try {
      await run('unshare', [...words, NODE_SCRIPT, folder]);
    } catch (error) {
      throw new EngineError(
        `this machine does not allow the namespaces of a node: ${(error as Error).message}`,
      );
    }
    return version;
  });
}

/** From this version on it keeps prepared statements of clients that share connections. */
export const OLDEST_PGBOUNCER = '1.21';

export async function probePgbouncer(program: string): Promise<string> {
  const said = firstLine(await run(program, ['-V'], { as: probeAccount() }));
  if (isAtLeast(/PgBouncer (\S+)/.exec(said)?.[1] ?? '0', OLDEST_PGBOUNCER)) return said;
  throw new EngineError(
    `${program} is too old: ${said}, and ${OLDEST_PGBOUNCER} is needed: ${OWN_COMMANDS.engines} install pgbouncer`,
  );
}

/** Run as an account without rights where that can reach it; else it is copied before it is used. */
export async function probePostgresql(program: string): Promise<string> {
  const as = probeAccount();
  const blocked = as && blockedBy(program, { name: 'nobody', ...as });
  return firstLine(await run(program, ['-V'], { as: blocked ? undefined : as }));
}

const NEWEST_MAJOR = 18;

/** pg_dump, and beside it what goes with it. One that is older than a server cannot read it. */
export async function probePostgresqlTools(program: string): Promise<string> {
  const as = probeAccount();
  const said = firstLine(await run(program, ['--version'], { as }));
  if (Number(/\(PostgreSQL\) (\d+)/.exec(said)?.[1]) < NEWEST_MAJOR)
    throw new EngineError(`${program} is too old: ${said}, and ${NEWEST_MAJOR} is needed`);
  for (const name of ['pg_dumpall', 'pg_restore', 'psql'])
    await run(path.join(path.dirname(program), name), ['--version'], { as });
  return said;
}

const START_MS = 15_000;
const LOOK_EVERY_MS = 20;

/** Starts an empty server at a socket and asks it how it is. */
/** @returns `virga-kubernetes v1.36.3` */
export async function probeKubernetes(program: string): Promise<string> {
  return firstLine(await run(program, ['version'], { as: probeAccount() }));
}

export async function probeS3(program: string): Promise<string> {
  const as = probeAccount();
  const version = firstLine(await run(program, ['--version'], { as }));
  return inFolder(
    async (folder) => {
      const socket = path.join(folder, 's3.sock');
      const words = ['--port', socket, '--health', '/health', path.join(folder, 'data')];
      const env = { PATH: process.env.PATH ?? '', ROOT_ACCESS_KEY: 'probe', ROOT_SECRET_KEY: 'probe-secret' };
      const child = spawn(program, words, { ...as, env, cwd: folder, detached: true, stdio: 'ignore' });
      const ended = new Promise<string>((resolve) => {
        child.once('error', (error) => resolve(error.message));
        child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`));
      });
      try {
        const answered = answers(socket);
        const fault = await Promise.race([answered, ended]);
        if (fault) throw new EngineError(`${program} does not serve: ${fault}`);
        return version;
      } finally {
        endGroup(child);
        await ended;
      }
    },
    ['data'],
  );
}

/** @returns nothing once it answers, or why it is not waited for any longer */
async function answers(socketPath: string): Promise<string | undefined> {
  for (let waited = 0; waited < START_MS; waited += LOOK_EVERY_MS) {
    const status = await new Promise((resolve) => {
      const request = http.get({ socketPath, path: '/health', timeout: 2_000 }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('timeout', () => request.destroy()).on('error', () => resolve(undefined));
    });
    if (status === 200) return undefined;
    await delay(LOOK_EVERY_MS);
  }
  return `it does not answer within ${START_MS / 1000} s`;
}

/** A folder for one probe, which the account of the probe may write in. */
async function inFolder<T>(work: (folder: string) => Promise<T>, within: readonly string[] = []): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'virga-probe-'));
  try {
    for (const name of within) mkdirSync(path.join(folder, name));
    const as = probeAccount();
    if (as)
      for (const each of [folder, ...within.map((name) => path.join(folder, name))])
        chownSync(each, as.uid, as.gid);
    chmodSync(folder, 0o755);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

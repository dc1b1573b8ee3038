import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { nginxConfig } from '../../edge/src/nginx-config.ts';
import { edgeSettings, end, freePort, type Running, startNginx } from '../../edge/src/testing/processes.ts';
import { IpRanges } from '../../signing/src/addresses.ts';
import { videoToken } from '../../signing/src/signature.ts';
import { waitUntil } from '../../test/harness/wait.ts';
import { type Figure, median } from './measure.ts';

/** The built-in edge and the printed nginx configuration beside a plain nginx with `secure_link`, all on the same
 *  files: requests for a 2 KB playlist, and 1 MB segments. And how many tokens one core signs in a second. */

const SECRET = 'MySecr3tStr1ng';
const ACCOUNT = '2675';
const VIDEO = 'bench';
const CONNECTIONS = 32;
const ROUNDS = 5;
const SECONDS = 2;
const SEGMENT_BYTES = 1_000_000;

/** @throws when nginx or wrk are not in the PATH */
export async function benchEdge(): Promise<Figure[]> {
  requirePrograms();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-bench-edge-'));
  const running: Running[] = [];
  const keep = async (start: Promise<Running>) => {
    const one = await start;
    running.push(one);
    return one.port;
  };
  try {
    writeFiles(folder);
    const plain = await keep(startNginx((_, port) => plainNginx(folder, port), 2));
    const ours = {
      'printed nginx configuration': await keep(startNginx((dir, port) => printed(folder, dir, port), 2)),
      'built-in edge': await keep(startEdge(folder)),
    };
    const playlists = compare(plain, ours, 'master.m3u8', 'requests');
    const segments = compare(plain, ours, 'segment.ts', 'MB');
    return [...playlists, ...segments, { what: 'tokens signed on one core', value: signing(), goal: '-' }];
  } finally {
    for (const one of running) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function requirePrograms(): void {
  for (const program of ['nginx', 'wrk']) {
    const { error } = spawnSync(program, ['-v'], { stdio: 'ignore' });
    if (error) throw new Error(`This bench needs ${program}: apt-get install ${program}`);
  }
}

function writeFiles(folder: string): void {
  chmodSync(folder, 0o755);
  const video = path.join(folder, 'videos', `${ACCOUNT}_${VIDEO}`);
  mkdirSync(video, { recursive: true });
  const entries = Array.from({ length: 60 }, (_, i) => `#EXTINF:6.00000,\nsegment${i}.ts\n`);
  writeFileSync(path.join(video, 'master.m3u8'), `#EXTM3U\n${entries.join('')}`.padEnd(2048, '\n'));
  writeFileSync(path.join(video, 'segment.ts'), Buffer.alloc(SEGMENT_BYTES, 7));
}

/** What one would write by hand. */
function plainNginx(folder: string, port: number): string {
  const variable = (name: string) => `\${${name}}`;
  const text = `${ACCOUNT}_${variable('video')}_${SECRET}_${variable('expires')}_`;
  return `server {
    listen 127.0.0.1:${port};
    root ${folder};
    sendfile on;
    tcp_nopush on;
    location ~ "^/videos/${ACCOUNT}_(?<video>[^/_]+)/(?<token>[A-Za-z0-9_-]{22})/(?<expires>[0-9]+)/(?<file>.+)$" {
        secure_link $token,$expires;
        secure_link_md5 "${text}";
        if ($secure_link = "") { return 403; }
        if ($secure_link = "0") { return 410; }
        try_files /videos/${ACCOUNT}_$video/$file =404;
    }
}
`;
}

function printed(folder: string, runDir: string, port: number): string {
  const edge = { port, origin: { folder }, trustedProxies: new IpRanges([]) };
  return nginxConfig(edgeSettings({ secrets: [SECRET], accountId: ACCOUNT }, edge), { runDir });
}

/** The edge as it is really run: bundled, a process of its own. */
async function startEdge(folder: string): Promise<Running> {
  const script = path.join(folder, 'edge.mjs');
  const entryPoints = [path.join(import.meta.dirname, '..', '..', 'edge', 'src', 'main.ts')];
  buildSync({ entryPoints, outfile: script, bundle: true, platform: 'node', format: 'esm' });
  const port = await freePort();
  const settings = {
    VIRGA_VIDEO_ACCOUNT_ID: ACCOUNT,
    VIRGA_VIDEO_SECRETS: SECRET,
    VIRGA_EDGE_PORT: String(port),
    VIRGA_EDGE_ORIGIN: folder,
  };
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'], env: settings });
  const url = `http://127.0.0.1:${port}${signedPath('master.m3u8')}`;
  await waitUntil(async () => (await fetch(url)).ok, { what: 'the edge to deliver' });
  return { port, stop: () => end(child) };
}

function signedPath(file: string): string {
  const expires = 4_000_000_000;
  const token = videoToken({ accountId: ACCOUNT, video: VIDEO, secret: SECRET, expires, ip: '' });
  return `/videos/${ACCOUNT}_${VIDEO}/${token}/${expires}/${file}`;
}

const GOALS: Readonly<Record<string, string>> = {
  'printed nginx configuration': '≥ 0.95',
  'built-in edge': '≥ 0.25',
};

/** Takes turns, so that what else the machine does meets all of them alike; the median of the ratios counts. */
function compare(
  plain: number,
  ours: Readonly<Record<string, number>>,
  file: string,
  unit: 'requests' | 'MB',
): Figure[] {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    plain: load(plain, file, unit),
    ours: Object.fromEntries(Object.entries(ours).map(([name, port]) => [name, load(port, file, unit)])),
  }));
  return Object.keys(ours).map((name) => {
    const ratio = median(rounds.map((round) => (round.ours[name] ?? 0) / round.plain));
    const mine = Math.round(median(rounds.map((round) => round.ours[name] ?? 0)));
    const theirs = Math.round(median(rounds.map((round) => round.plain)));
    return {
      what: `${file}: ${name}, to plain nginx with secure_link`,
      value: `${ratio.toFixed(2)} (${mine} to ${theirs} ${unit}/s)`,
      goal: GOALS[name] ?? '-',
    };
  });
}

/** Requests, or megabytes, in a second, as wrk counts them. */
function load(port: number, file: string, unit: 'requests' | 'MB'): number {
  const url = `http://127.0.0.1:${port}${signedPath(file)}`;
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, url];
  const said = execFileSync('wrk', args, { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(said))
    throw new Error(`${url} was refused while it was measured:\n${said}`);
  const requests = Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]);
  return unit === 'requests' ? requests : (requests * SEGMENT_BYTES) / 1e6;
}

function signing(): string {
  const parts = { accountId: ACCOUNT, video: VIDEO, secret: SECRET, ip: '1.2.3.4' };
  const count = 300_000;
  const begin = performance.now();
  for (let i = 0; i < count; i++) videoToken({ ...parts, expires: 1_743_167_062 + i });
  return `${Math.round((count / (performance.now() - begin)) * 1000)} /s`;
}

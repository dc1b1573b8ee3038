import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { API_KEY, newDataDir, removeDataDir, startVirga } from '../../test/harness/process.ts';
import { type Figure, requestsPerSecond } from './measure.ts';

const IDLE_MS = 10_000;

/** Time to ready, memory when idle, and memory after many requests. */
export async function benchStart(): Promise<Figure[]> {
  const dataDir = newDataDir();
  const first = await timed(() => startVirga({ dataDir }));
  await first.result.end('SIGTERM');
  const second = await timed(() => startVirga({ dataDir, env: { VIRGA_RATE_LIMIT: '0' } }));
  const virga = second.result;
  await delay(IDLE_MS);
  const idle = memoryMiB(virga.pid);
  const load = () =>
    requestsPerSecond(`${virga.url}/cloud/v1/projects`, {
      connections: 20,
      seconds: 10,
      headers: { authorization: `APIKey ${API_KEY}` },
    });
  await load();
  const warm = memoryMiB(virga.pid);
  let requests = 0;
  while (requests < 200_000) requests += 10 * (await load());
  const after = memoryMiB(virga.pid);
  await virga.end('SIGTERM');
  removeDataDir(dataDir);
  return [
    { what: 'first start to ready', value: `${first.seconds.toFixed(2)} s`, goal: '< 8 s' },
    { what: 'later start to ready', value: `${second.seconds.toFixed(2)} s`, goal: '< 3 s' },
    { what: 'memory of the server process, idle for 10 s', value: `${idle} MiB`, goal: '< 143 MiB (150 MB)' },
    {
      what: `memory after ${Math.round(requests / 1000)},000 requests, to memory when warm`,
      value: `${after} to ${warm} MiB`,
      goal: 'no growth',
    },
  ];
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const begin = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - begin) / 1000 };
}

function memoryMiB(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? 0) / 1024);
}

import { readdirSync, readFileSync } from 'node:fs';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../test/harness/process.ts';
import type { Figure } from './measure.ts';
import { connectionOf, raiseQuotas } from './server.ts';

const BALANCERS = 200;
const SENDERS = 8;
const PORT = 8088;

/** Many load balancers with traffic on one machine: how fast they come, what they use, how fast they come back. */
export async function benchBalancers(): Promise<Figure[]> {
  const dataDir = newDataDir();
  const env = { VIRGA_RATE_LIMIT: '0' };
  let virga = await startVirga({ dataDir, env });
  try {
    await raiseQuotas(connectionOf(dataDir));
    const begin = performance.now();
    const addresses = await createAll(virga);
    const creation = (performance.now() - begin) / 1000;
    await allAnswer(addresses);
    const memory = memoryOf(dataDir);
    await virga.end('SIGTERM');
    const stopped = performance.now();
    virga = await startVirga({ dataDir, env });
    const ready = (performance.now() - stopped) / 1000;
    await allAnswer(addresses);
    const back = (performance.now() - stopped) / 1000;
    return [
      {
        what: `${BALANCERS} load balancers with traffic, creations to FINISHED`,
        value: `${(BALANCERS / creation).toFixed(1)} /s`,
        goal: '—',
      },
      {
        what: 'memory of their data planes, each',
        value: `${(memory / BALANCERS / 1024).toFixed(1)} MiB proportional`,
        goal: '—',
      },
      {
        what: 'a start that brings all of them back: ready, all answering',
        value: `${ready.toFixed(1)} s, ${back.toFixed(1)} s`,
        goal: '—',
      },
    ];
  } finally {
    await virga.end('SIGTERM');
    removeDataDir(dataDir);
  }
}

async function createAll(virga: VirgaProcess): Promise<string[]> {
  const addresses: string[] = [];
  let next = 0;
  const sender = async () => {
    for (let i = next++; i < BALANCERS; i = next++) {
      const listeners = [{ name: 'http', protocol: 'PROMETHEUS', protocol_port: PORT }];
      const reply = await virga.call('POST', '/cloud/v1/loadbalancers/1/1', { name: `lb ${i}`, listeners });
      const task = await virga.ended(reply);
      if (task.state !== 'FINISHED') throw new Error(`a creation failed: ${task.error}`);
      const id = task.created_resources?.loadbalancers?.[0];
      const { body } = await virga.call('GET', `/cloud/v1/loadbalancers/1/1/${id}`);
      addresses.push(body.vip_address);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return addresses;
}

/** Waits until every load balancer answers a request. */
async function allAnswer(addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    for (;;) {
      const answer = await fetch(`http://${address}:${PORT}/metrics`).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.status === 200) break;
    }
  }
}

/** KiB of memory of the HAProxy processes of a data directory; what they share counts once. */
function memoryOf(dataDir: string): number {
  let total = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!words.includes('haproxy') || !words.includes(dataDir)) continue;
      total += Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has just ended.
    }
  }
  return total;
}

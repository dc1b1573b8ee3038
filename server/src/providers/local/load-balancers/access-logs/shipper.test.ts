import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../../../../test/harness/wait.ts';
import { startTcpCollector } from '../test-support/collector.ts';
import { Shipper } from './shipper.ts';
import { LogTail } from './tail.ts';

const LINE = '2026-01-31T12:00:00.123456Z 10.0.0.1:40000 "GET /last HTTP/1.1" 200';

/** A clock that stands until it has been read so often since the count began; then its time is over. */
function clockThatJumps(reads: number) {
  let left = Number.POSITIVE_INFINITY;
  return {
    now: () => (left-- > 0 ? 1_000 : 2_000),
    startCounting: () => {
      left = reads;
    },
  };
}

test.for([1, 2, 3, 4, 5])(
  'a log that is left sends its lines also when the collector was away a moment ago (the pause ends at look %i)',
  async (look) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-shipper-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const away = await startTcpCollector();
    const { port } = away.collector;
    await away.close();
    let warnings = 0;
    const warn = () => {
      warnings += 1;
    };
    const clock = clockThatJumps(look);
    const shipper = new Shipper(away.collector, { info: () => undefined, warn }, clock.now);
    onTestFinished(() => shipper.close());
    const log = path.join(folder, 'access.log');
    const tail = new LogTail(log, path.join(folder, 'position'));
    const source = { topic: 'web', loadBalancerId: 'lb', loadBalancerName: 'front', address: '10.0.0.9' };
    shipper.carry('lb', tail, source);
    writeFileSync(log, `${LINE}\n`);
    await waitUntil(() => warnings > 0, { what: 'the refusal', intervalMs: 1 });
    const back = await startTcpCollector(port);
    onTestFinished(() => back.close());
    clock.startCounting();
    await shipper.leave('lb', 60_000);
    await waitUntil(() => back.received.length > 0, { what: 'the line' });
    expect(back.received[0]?.text).toContain('GET /last');
  },
);

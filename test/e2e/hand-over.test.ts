import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findProgram } from '../../server/src/providers/local/host/programs.ts';
import {
  type Backend,
  startBackend,
} from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { newFolder } from '../harness/leftovers.ts';
import {
  newDataDir,
  processesWith,
  removeDataDir,
  runVirga,
  startVirga,
  type VirgaProcess,
} from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

const dataDir = newDataDir();
let backend: Backend;

beforeAll(async () => {
  backend = await startBackend('served');
});
afterAll(async () => {
  await backend.kill();
  removeDataDir(dataDir);
});

const body = (port: number) => ({
  name: 'web',
  listeners: [
    {
      name: 'http',
      protocol: 'HTTP',
      protocol_port: 8080,
      pools: [
        {
          name: 'app',
          protocol: 'HTTP',
          lb_algorithm: 'ROUND_ROBIN',
          members: [{ address: '127.0.0.1', protocol_port: port }],
        },
      ],
    },
  ],
});

/** One that serves. */
async function loadBalancer(
  virga: VirgaProcess,
): Promise<{ readonly id: string; readonly vip_address: string }> {
  const all = '/cloud/v1/loadbalancers/1/1';
  const task = await virga.ended(await virga.call('POST', all, body(backend.port)));
  expect(task.error).toBeNull();
  return (await virga.call('GET', `${all}/${task.created_resources?.loadbalancers?.[0]}`)).body;
}

async function lostNothing(load: ReturnType<typeof startLoad>): Promise<void> {
  const { requests, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(0);
}

test('a service that is restarted hands its traffic over without a lost request; a stop ends it', {
  timeout: 120_000,
}, async () => {
  const env = { VIRGA_ON_SIGTERM: 'leave' };
  const first = await startVirga({ dataDir, env });
  const lb = await loadBalancer(first);
  const engines = () => processesWith(lb.id);
  const before = engines();
  expect(before).toHaveLength(1);
  const load = startLoad(`http://${lb.vip_address}:8080/`);
  expect(await first.end('SIGTERM')).toBe(0);
  const second = await startVirga({ dataDir, env });
  expect(engines()).toEqual(before);
  await lostNothing(load);
  expect(await second.end('SIGINT')).toBe(0);
  expect(engines()).toEqual([]);
});

test('a start that fails and a crash leave the traffic of the server before them as it is', {
  timeout: 180_000,
}, async () => {
  // Throws where nobody catches it, once it gets that signal.
  const crash = 'process.on("SIGUSR2", () => { throw new Error("a fault of our own"); })';
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(crash)}` };
  const first = await startVirga({ dataDir, env });
  const lb = await loadBalancer(first);
  const engines = () => processesWith(lb.id);
  const before = engines();
  const load = startLoad(`http://${lb.vip_address}:8080/`);
  expect(await first.end('SIGUSR2')).toBe(1);
  expect(first.output()).toContain('a fault of our own');
  const holder = await startBackend('another program');
  onTestFinished(() => holder.kill());
  const held = String(holder.port);
  const failed = await runVirga({ dataDir, env: { PORT: held } });
  expect(failed).toEqual({ code: 1, output: expect.stringContaining(`Port ${held}`) });
  expect(engines()).toEqual(before);
  const second = await startVirga({ dataDir });
  expect(engines()).toEqual(before);
  await lostNothing(load);
  expect(await second.end('SIGTERM')).toBe(0);
  expect(engines()).toEqual([]);
  const nothing = await runVirga({ dataDir, env: { PORT: held } });
  expect(nothing.code).toBe(1);
  expect(engines(), 'what a failed start itself began ends with it').toEqual([]);
});

/** A folder of programs with an HAProxy that never ends the check of a file, as long as there is a file `hangs`. */
function hangingHaproxy(folder: string): { readonly hangs: string; readonly hanging: string; PATH: string } {
  const [hangs, hanging] = [path.join(folder, 'hangs'), path.join(folder, 'hanging')];
  // HAProxy checks a file as a user of its own, who notes that it does.
  chmodSync(folder, 0o777);
  const hang = `if [ -e ${hangs} ]; then touch ${hanging}; exec sleep 600; fi`;
  const script = `#!/bin/sh\ncase " $* " in *" -c "*) ${hang};; esac\nexec ${findProgram('haproxy')} "$@"\n`;
  writeFileSync(path.join(folder, 'haproxy'), script, { mode: 0o755 });
  return { hangs, hanging, PATH: `${folder}:${process.env.PATH}` };
}

test('a stop in the middle of a task that hangs ends all programs, and the task ends after the next start', {
  timeout: 180_000,
}, async () => {
  const programs = newFolder('e2e');
  onTestFinished(() => removeDataDir(programs));
  const { hangs, hanging, PATH } = hangingHaproxy(programs);
  const first = await startVirga({ dataDir, env: { PATH } });
  const lb = await loadBalancer(first);
  writeFileSync(hangs, '');
  const listener = { name: 'more', protocol: 'HTTP', protocol_port: 8081, loadbalancer_id: lb.id };
  const reply = await first.call('POST', '/cloud/v1/lblisteners/1/1', listener);
  await waitUntil(() => existsSync(hanging), { what: 'the check of the new file to hang' });
  expect(await first.end('SIGINT')).toBe(0);
  expect(processesWith(lb.id)).toEqual([]);
  expect(processesWith(dataDir)).toEqual([]);
  const second = await startVirga({ dataDir });
  expect(await second.ended(reply)).toMatchObject({ state: 'FINISHED', error: null });
  expect(await second.end('SIGINT')).toBe(0);
});

// @ts-check
// npm run trial: an installation of several processes under load, whose parts are killed, frozen and replaced.
// npm run trial -- runbook: what docs/runbook.md is about happens, and what stands there is done.
// npm run trial -- tenants [--minutes N] [--tenants N] [--seed N]: many tenants, their operator, and faults.
// npm run trial -- patroni [--only 'cut off|etcd']: Virga's own state on three machines under Patroni, and faults.
// npm run trial -- sizing [--sizes 10,50,200]: the memory, disk and connections that tenants take.
// npm run trial -- openstack-rest [--count N] [--minutes N]: what load balancers of a region on OpenStack cost at rest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const [first, ...rest] = process.argv.slice(2);
const PARTS = ['openstack-rest', 'patroni', 'runbook', 'sizing', 'tenants'];
const part = first !== undefined && PARTS.includes(first) ? first : undefined;
if (first !== undefined && part === undefined) {
  console.error(
    `There is no trial "${first}". Run one of: ${['npm run trial', ...PARTS.map((each) => `npm run trial -- ${each}`)].join(', ')}`,
  );
  process.exit(2);
}
const file = part ? `test/trial/${part}/main.ts` : 'test/trial/main.ts';
const trial = spawn(process.execPath, ['--import', 'tsx', file, ...rest], { cwd: ROOT, stdio: 'inherit' });
// It removes what it has made, and says how it ended.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => trial.kill(signal));
const [status] = await once(trial, 'exit');
process.exit(status ?? 1);

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { clusterBody } from '../../harness/managed-postgresql.ts';
import { Caller } from '../caller.ts';
import { Lab } from '../lab.ts';
import { expected } from '../tenants/tenant.ts';
import { HEADINGS, measure } from './measure.ts';

/** npm run trial -- sizing: how much memory, disk and how many connections tenants take. Each has a load balancer; up to a
 *  number of tenants, every second one has a PostgreSQL cluster and the others an object storage. */

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10,50,200' },
    full: { type: 'string', default: '50' },
    port: { type: 'string', default: '27550' },
  },
});
const SIZES = values.sizes.split(',').map(Number);
const FULL = Number(values.full);
const REGION = 1;
const say = (line: string) => process.stdout.write(`${line}\n`);

const lab = await Lab.start({
  port: Number(values.port),
  // On loopback, each address is free.
  regions: [{ id: REGION, name: 'Both', provider: 'local', node: 'machine-1' }],
});

async function signUp(number: number): Promise<void> {
  const { operator, url } = lab;
  const email = `sizing-${number}@example.test`;
  const client = expected(
    await operator.call('POST', '/virga/v1/clients', { name: `sizing-${number}`, email }),
    201,
  );
  const acting = await operator.call('POST', `/virga/v1/clients/${client.id}/act`, { reason: 'sizing' });
  const as = new Caller(url, expected(acting, 200).token);
  const project = expected(await as.call('GET', '/cloud/v1/projects'), 200).results[0].id;
  const done = async (method: string, where: string, body: object) => {
    const task = await as.ended(await as.call(method, where, body));
    if (task.state !== 'FINISHED') throw new Error(`${task.task_type}: ${task.error}`);
  };
  await done('POST', `/cloud/v1/loadbalancers/${project}/${REGION}`, lab.web('web'));
  if (number >= FULL) return;
  if (number % 2 === 0) {
    await as.call('PUT', `/cloud/v1/dbaas/status/${project}/${REGION}`, { is_initialized: true });
    const body = { ...clusterBody('shop'), flavor: { cpu: 1, memory_gib: 1 } };
    await done('POST', `/cloud/v1/dbaas/postgres/clusters/${project}/${REGION}`, body);
  } else {
    const body = { location_name: 'both', name: `sizing-${number}` };
    const { id } = expected(await as.call('POST', '/storage/v4/object_storages', body), 200, 201);
    for (let made = 0; made !== 201; ) {
      made = (await as.call('POST', `/storage/v4/object_storages/${id}/buckets`, { name: 'kept' })).status;
      await delay(200);
    }
  }
}

try {
  say(`| ${HEADINGS.join(' | ')} |`);
  say(`|${HEADINGS.map(() => '---|').join('')}`);
  let number = 0;
  for (const size of SIZES) {
    const since = performance.now();
    for (; number < size; number++) await signUp(number);
    process.stderr.write(`${size} tenants after ${Math.round((performance.now() - since) / 1000)} s\n`);
    for (const row of await measure(lab, REGION, size)) say(row);
  }
} finally {
  await lab.end();
  lab.removeFolder();
}
process.exit(0);

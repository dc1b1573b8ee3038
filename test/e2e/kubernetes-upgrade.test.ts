import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, queryOf } from '../chaos/database-faults.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** An upgrade in the real program, killed in the middle. */

const CLUSTERS = '/cloud/v2/k8s/clusters/1/2';
const dataDir = newDataDir();
// Nodes take 0.4 to 1.1 seconds.
const options = { dataDir, env: { VIRGA_TIME_SCALE: '0.006' } };
let virga: VirgaProcess;

beforeAll(async () => {
  virga = await startVirga(options);
});

afterAll(async () => {
  await virga.end('SIGTERM');
  removeDataDir(dataDir);
});

/** What the database itself writes down of the upgrade, at each commit: a look now and then would miss what is
 *  over soon. And the second new node is not begun while somebody holds `HOLD`. */
const HOLD = 72;
const RECORD = `
  create table test_steps (at bigint generated always as identity, progress int, step text);
  create function test_note_step() returns trigger language plpgsql security definer as $$ begin
    insert into test_steps (progress, step) values (new.progress, new.step);
    return null;
  end $$;
  create trigger test_note_step after update on tasks for each row when (new.type = 'upgrade_k8s_cluster')
    execute function test_note_step();
  create table test_ready (nodes int);
  create function test_note_ready() returns trigger language plpgsql security definer as $$ begin
    insert into test_ready select count(*) from k8s_nodes where state = 'READY';
    return null;
  end $$;
  create constraint trigger test_note_ready after insert or update or delete on k8s_nodes
    deferrable initially deferred for each row execute function test_note_ready();
  create function test_hold() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(${HOLD});
    return new;
  end $$;
  create trigger test_hold before insert on k8s_nodes for each row when (new.number = 5)
    execute function test_hold()`;

const query = queryOf(dataDir);

/** Holds the upgrade up once its first new node is ready and kills the server there. */
async function killHalfWay(begin: () => Promise<void>): Promise<void> {
  const client = clientOf(dataDir);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [HOLD]);
    await begin();
    await waitUntil(
      async () =>
        (await query("select from pg_locks where locktype = 'advisory' and not granted")).length > 0,
      { what: 'the second new node to be begun' },
    );
    await virga.end('SIGKILL');
  } finally {
    await client.end();
  }
}

test('an upgrade goes on after a kill -9 where it stood, never with fewer ready nodes, and shows how far it is', async () => {
  const cluster = await create();
  expect(cluster.status).toBe('Provisioned');
  // The certificates come from the bundle too.
  const config = await virga.call('GET', `${CLUSTERS}/killed/config`);
  expect(config.body.config).toContain('client-certificate-data: ');
  await query(RECORD);
  let id = '';
  await killHalfWay(async () => {
    const reply = await virga.call('POST', `${CLUSTERS}/killed/upgrade`, { version: 'v1.33.4' });
    id = reply.body.tasks[0];
  });
  virga = await startVirga(options);
  expect(await virga.ended({ body: { tasks: [id] } })).toMatchObject({ state: 'FINISHED', progress: 100 });
  const { body } = await virga.call('GET', `${CLUSTERS}/killed`);
  expect(body).toMatchObject({ status: 'Provisioned', version: 'v1.33.4', task_id: null });
  // Three were made for three: none twice, none left over.
  const nodes = await virga.call('GET', `${CLUSTERS}/killed/instances`);
  expect(nodes.body.results.map(({ name }: { name: string }) => name)).toEqual(
    [4, 5, 6].map((number) => `killed-workers-${number}`),
  );
  const shown = await query('select progress, step from test_steps order by at');
  const percents = shown.map(({ progress }) => Number(progress));
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  expect(new Set(percents).size).toBeGreaterThan(4);
  expect(shown.map(({ step }) => step)).toEqual(
    expect.arrayContaining([
      'control plane to v1.33.4',
      '1 of 3 nodes at v1.33.4',
      '2 of 3 nodes at v1.33.4',
    ]),
  );
  const [ready] = await query('select min(nodes) as fewest, max(nodes) as most from test_ready');
  expect(ready).toEqual({ fewest: 3, most: 4 });
});

async function create() {
  const key = await virga.call('POST', '/cloud/v1/ssh_keys/1', { name: 'operator key' });
  expect(key.status).toBe(201);
  const task = await virga.ended(
    await virga.call('POST', CLUSTERS, {
      name: 'killed',
      version: 'v1.32.8',
      keypair: 'operator key',
      pools: [{ name: 'workers', flavor_id: 'g1-standard-1-2', min_node_count: 3 }],
    }),
  );
  expect(task.state).toBe('FINISHED');
  return (await virga.call('GET', `${CLUSTERS}/killed`)).body;
}

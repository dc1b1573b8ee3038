import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { rootFolder, stateFolder } from '../../../scripts/openstack/place.mjs';
import type { Query } from '../../chaos/database-faults.ts';
import { access } from '../../openstack/calls.ts';

/** Copies of a load balancer, as rows of the databases of Octavia, of Neutron and of Virga: to make thousands of them by
 *  their APIs takes hours on two cores. Lists and single reads do not tell them from others. */

type Overrides = Readonly<Record<string, string>>;
interface Dialect {
  /** The columns of a table. */
  columns(table: string): Promise<readonly string[]>;
  run(statement: string): Promise<unknown>;
  /** The numbers of the copies, as a table. */
  readonly numbers: string;
}

/** `insert`, with other values for some columns. */
async function copy(dialect: Dialect, table: string, where: string, overrides: Overrides): Promise<void> {
  const columns = await dialect.columns(table);
  const list = columns.map((name) => overrides[name] ?? `t.${name}`).join(', ');
  await dialect.run(
    `insert into ${table} (${columns.join(', ')}) select ${list} from ${table} t, ${dialect.numbers} where ${where}`,
  );
}

async function mariadb(database: string, statement: string): Promise<string[]> {
  const socket = path.join(stateFolder(rootFolder()), 'mariadb/socket');
  const { stdout } = await promisify(execFile)(
    'mariadb',
    ['--no-defaults', `--socket=${socket}`, '-uroot', '-N', database, '-e', statement],
    { env: { PATH: process.env.PATH, MYSQL_PWD: access?.administrator.password } },
  );
  return stdout.split('\n').filter((line) => line !== '');
}

const ofCloud = (database: string, count: number): Dialect => ({
  columns: (table) =>
    mariadb(
      database,
      `select column_name from information_schema.columns where table_schema = '${database}' and table_name = '${table}'`,
    ),
  run: (statement) => mariadb(database, statement),
  numbers: `seq_1_to_${count}`,
});

/** @param statements to which it adds: all are to be true at once, since Virga looks meanwhile */
const ofVirga = (query: Query, count: number, statements: string[]): Dialect => ({
  columns: async (table) =>
    (
      await query(
        `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER'`,
      )
    ).map(({ name }) => String(name)),
  run: async (statement) => statements.push(statement),
  numbers: `generate_series(1, ${count}) seq`,
});

/** The same id in both databases, made of what it is and of the number of the copy. */
const idThere = (kind: string) => {
  const digits = `md5(concat('${kind} ', seq))`;
  return [9, 14, 19, 24].reduce((text, at) => `insert(${text}, ${at}, 0, '-')`, digits);
};
const idHere = (kind: string) => `md5('${kind} ' || seq)::uuid`;
const textHere = (kind: string) => `${idHere(kind)}::text`;
const addressThere = `concat('10.78.', 100 + seq div 200, '.', 1 + seq mod 200)`;
const addressHere = `('10.78.' || 100 + seq / 200 || '.' || 1 + seq % 200)::inet`;

/** @param id of a load balancer with a listener, a pool and a member */
export async function copyBalancer(query: Query, id: string, count: number): Promise<void> {
  const [object] = await query(
    `select engine_id, facts->>'portId' as port from engine_objects where kind = 'load_balancer' and id = '${id}'`,
  );
  const { engine_id: engineId, port } = object as { engine_id: string; port: string };
  await copyPort(port, count);
  await copyThere(engineId, count);
  await copyHere(query, id, count);
}

async function copyPort(port: string, count: number): Promise<void> {
  const neutron = ofCloud('neutron', count);
  // Others may be made meanwhile.
  const base = Number(await mariadb('neutron', 'select max(id) + 1000 from standardattributes'));
  const its = `t.port_id = '${port}'`;
  const id = idThere('engine port');
  await copy(
    neutron,
    'standardattributes',
    `t.id = (select standard_attr_id from ports where id = '${port}')`,
    { id: `${base} + seq`, description: `concat('virga:', ${idThere('balancer')})` },
  );
  const mac = `lower(concat('fa:16:3f:00:', lpad(hex(seq div 256), 2, '0'), ':', lpad(hex(seq mod 256), 2, '0')))`;
  await copy(neutron, 'ports', `t.id = '${port}'`, {
    id,
    mac_address: mac,
    standard_attr_id: `${base} + seq`,
  });
  await copy(neutron, 'ipallocations', its, { port_id: id, ip_address: addressThere });
  await copy(neutron, 'ml2_port_bindings', its, { port_id: id });
  await copy(neutron, 'portsecuritybindings', its, { port_id: id });
}

async function copyThere(engineId: string, count: number): Promise<void> {
  const octavia = ofCloud('octavia', count);
  const its = `t.load_balancer_id = '${engineId}'`;
  const balancer = idThere('engine balancer');
  const pool = idThere('engine pool');
  const of = (table: string) => `(select id from ${table} where load_balancer_id = '${engineId}')`;
  await copy(octavia, 'load_balancer', `t.id = '${engineId}'`, {
    id: balancer,
    name: `concat('virga-', ${idThere('balancer')})`,
  });
  await copy(octavia, 'vip', its, {
    load_balancer_id: balancer,
    ip_address: addressThere,
    port_id: idThere('engine port'),
  });
  await copy(octavia, 'pool', its, { id: pool, load_balancer_id: balancer });
  await copy(octavia, 'member', `t.pool_id in ${of('pool')}`, {
    id: idThere('engine member'),
    pool_id: pool,
  });
  await copy(octavia, 'listener', its, {
    id: idThere('engine listener'),
    load_balancer_id: balancer,
    default_pool_id: pool,
  });
  const tagged = [
    ['balancer', `t.resource_id = '${engineId}'`],
    ['pool', `t.resource_id in ${of('pool')}`],
    ['listener', `t.resource_id in ${of('listener')}`],
    ['member', `t.resource_id in (select id from member where pool_id in ${of('pool')})`],
  ] as const;
  for (const [kind, where] of tagged)
    await copy(octavia, 'tags', where, {
      resource_id: idThere(`engine ${kind}`),
      tag: `concat('virga:', ${idThere(kind)})`,
    });
}

async function copyHere(query: Query, id: string, count: number): Promise<void> {
  const statements: string[] = [];
  const virga = ofVirga(query, count, statements);
  const its = `t.load_balancer_id = '${id}'`;
  const of = { load_balancer_id: idHere('balancer') };
  await copy(virga, 'load_balancers', `t.id = '${id}'`, {
    id: idHere('balancer'),
    name: `'copy-' || seq`,
    vip_address: addressHere,
    vip_port_id: idHere('port'),
  });
  await copy(virga, 'lb_pools', its, Object.assign({ id: idHere('pool') }, of));
  await copy(virga, 'lb_members', its, Object.assign({ id: idHere('member'), pool_id: idHere('pool') }, of));
  const listener = { id: idHere('listener'), default_pool_id: idHere('pool') };
  await copy(virga, 'lb_listeners', its, Object.assign(listener, of));
  const parts = ['listener', 'member'].map((kind) => `${textHere(`engine ${kind}`)}, ${textHere(kind)}`);
  await copy(virga, 'engine_objects', `t.kind = 'load_balancer' and t.id = '${id}'`, {
    id: idHere('balancer'),
    engine_id: textHere('engine balancer'),
    facts: `t.facts - 'counters' || jsonb_build_object('portId', ${textHere('engine port')},
              'listeners', jsonb_build_array(${textHere('engine listener')}),
              'parts', jsonb_build_object(${parts.join(', ')}))`,
  });
  await query(statements.join(';\n'));
}

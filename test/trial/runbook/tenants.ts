import { clusterBody } from '../../harness/managed-postgresql.ts';
import { waitUntil } from '../../harness/wait.ts';
import { Caller } from '../caller.ts';
import type { Entry } from './attempt.ts';
import { BOTH } from './regions.ts';
import { hanging, stateOf } from './tasks.ts';

/** Entries about one tenant. */

const OPERATOR = '/virga/v1';
const LBS = '/cloud/v1/loadbalancers/1/2';

export const tenantEntries: readonly Entry[] = [
  {
    heading: 'A task hangs',
    fault: 'the work of two tasks hangs',
    alerts: [],
    try: async (attempt) => {
      const [one, two] = [await hanging(attempt, 'hangs-1'), await hanging(attempt, 'hangs-2')];
      const listed = await waitUntil(
        async () => {
          const all: readonly Listed[] = JSON.parse(
            await attempt.virga('any-task list-tasks-of-all --client-id 1 -o json'),
          );
          return all.length === 2 && all.every(({ run }) => run.node) && all;
        },
        { what: 'both tasks to be listed with their process' },
      );
      await attempt.virga(`any-task cancel-task-of-any ${one}`);
      await attempt.virga(
        `any-task end-task-of-any ${two} --reason "undoing hangs on a disk that is gone" --yes`,
      );
      await attempt.recovered('both tasks to end', async () => {
        const states = await Promise.all([one, two].map((task) => stateOf(attempt, task)));
        return states.every((state) => state === 'ERROR');
      });
      await attempt.lab.operator.call('DELETE', `${OPERATOR}/simulation/2/faults`);
      const { results } = (await attempt.as.call('GET', LBS)).body;
      const left = results.filter(({ name }: { readonly name: string }) => name === 'hangs-2');
      for (const { id } of left) await attempt.as.ended(await attempt.as.call('DELETE', `${LBS}/${id}`));
      return `the list had both with the process \`${listed[0]?.run.node}\`; the cancelled one was undone, the ended one left ${left.length} load balancer, which was deleted`;
    },
  },
  {
    heading: 'Stop a tenant now',
    fault: 'a tenant attacks others',
    alerts: [],
    try: async (attempt) => {
      const { lab } = attempt;
      const client = await lab.operator.call('POST', `${OPERATOR}/clients`, {
        name: 'Attacker',
        email: 'ops@attacker.example',
      });
      const one = `${OPERATOR}/clients/${client.body.id}`;
      const its = new Caller(
        lab.url,
        (await lab.operator.call('POST', `${one}/act`, { reason: 'trial' })).body.token,
      );
      const project = (await its.call('GET', '/cloud/v1/projects')).body.results[0].id;
      const lbs = `/cloud/v1/loadbalancers/${project}/${BOTH}`;
      const made = (await its.ended(await its.call('POST', lbs, lab.web('attack')))).created_resources;
      const { vip_address } = (await its.call('GET', `${lbs}/${made.loadbalancers[0]}`)).body;
      const url = lab.webUrl(vip_address);
      await waitUntil(() => attempt.answers(url), { what: 'its load balancer to answer' });
      const since = performance.now();
      await attempt.virga(
        `client suspend ${client.body.id} --reason "Attacks others; call us" --data-planes stopped --yes`,
      );
      await waitUntil(async () => !(await attempt.answers(url)), { what: 'its load balancer to stop' });
      const stopped = ((performance.now() - since) / 1000).toFixed(1);
      const write = await its.call('POST', lbs, { name: 'more' });
      await attempt.virga(`client resume ${client.body.id}`);
      await attempt.recovered('its load balancer to answer', () => attempt.answers(url));
      return `nothing of it answered ${stopped} s after the command began; a write was a ${write.status}; \`resume\` took it back`;
    },
  },
  {
    heading: "Restore one tenant's database",
    fault: 'a tenant has dropped a table',
    alerts: [],
    try: async (attempt) => {
      const { lab, as } = attempt;
      const clusters = `/cloud/v1/dbaas/postgres/clusters/1/${BOTH}`;
      await as.call('PUT', `/cloud/v1/dbaas/status/1/${BOTH}`, { is_initialized: true });
      const body = {
        ...clusterBody('shop'),
        flavor: { cpu: 1, memory_gib: 1 },
        network: { network_type: 'public', acl: ['198.18.79.0/24'] },
      };
      await as.ended(await as.call('POST', clusters, body));
      // They are shown once.
      const passwords = new Map<string, string>();
      const requested = async (name: string, text: string) => {
        const { network } = (await as.call('GET', `${clusters}/${name}`)).body;
        const shown = `${clusters}/${name}/users/app/credentials`;
        if (!passwords.has(name)) passwords.set(name, (await as.call('GET', shown)).body.password);
        return lab.query(network.host, passwords.get(name) ?? '', text);
      };
      const backups = `${OPERATOR}/postgresql_clusters/1/${BOTH}/shop/backups`;
      await lab.operator.call('PUT', backups, { every_hours: 24, keep: 7 });
      await waitUntil(async () => (await lab.operator.call('GET', backups)).body.backups.length > 0, {
        what: 'a backup',
      });
      await requested('shop', 'create table orders as select generate_series(1, 1000) id');
      const [moment] = await requested('shop', 'select clock_timestamp() as now from pg_sleep(0.01)');
      await requested('shop', 'drop table orders');
      const where = `--project 1 --region ${BOTH}`;
      const listed = JSON.parse(await attempt.virga(`pg list-backups shop ${where} -o json`)).backups.length;
      // As text it has no milliseconds.
      const until = new Date(Number(moment?.now)).toISOString();
      await attempt.virga(`pg restore shop --cluster-name as-it-was --until ${until} ${where} --yes`);
      await attempt.recovered('the table in the new cluster', async () => {
        const [rows] = await requested('as-it-was', 'select count(*)::int as n from orders');
        return rows?.n === 1000;
      });
      const goes = (await requested('shop', 'select 1 as one'))[0]?.one === 1 ? 'went on' : 'did not go on';
      return `\`list-backups\` named ${listed}; the new cluster had all rows, and the present one ${goes}`;
    },
  },
];

interface Listed {
  readonly run: { readonly node: string | null };
}

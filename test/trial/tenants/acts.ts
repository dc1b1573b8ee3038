import { waitUntil } from '../../harness/wait.ts';
import { Caller } from '../caller.ts';
import { carriedOut, expected, REGION, type Tenant } from './tenant.ts';

/** What tenants and their operator do. Each act says what was not as it should be by throwing. */

export interface Act {
  readonly name: string;
  /** How often, in relation to the others. */
  readonly weight: number;
  /** Whether it can be done to a tenant as it is. */
  fits(tenant: Tenant): boolean;
  run(tenant: Tenant, drawn: number): Promise<void>;
}

const always = () => true;
const isActive = ({ suspended }: Tenant) => suspended === undefined;
const REASON = 'Invoice 4711 is not paid';

async function suspend(tenant: Tenant, data_planes: 'running' | 'stopped'): Promise<void> {
  const { lab, path } = tenant;
  carriedOut(await lab.operator.call('POST', `${path}/suspend`, { reason: REASON, data_planes }));
  tenant.suspended = data_planes;
  const refused = await waitUntil(
    async () => {
      const answer = await tenant.as.call('GET', tenant.balancers);
      return answer.status === 403 && answer;
    },
    { what: `${tenant.name} to be refused` },
  );
  if (!JSON.stringify(refused.body).includes('account_suspended'))
    throw new Error(`refused for another reason: ${JSON.stringify(refused.body)}`);
  await tenant.waitFor(data_planes === 'running');
}

async function resume(tenant: Tenant): Promise<void> {
  carriedOut(await tenant.lab.operator.call('POST', `${tenant.path}/resume`));
  tenant.suspended = undefined;
  await tenant.waitFor(true);
  await waitUntil(async () => (await tenant.as.call('GET', tenant.balancers)).status === 200, {
    what: `${tenant.name} to be let in again`,
  });
}

/** After it somebody else is to have the room of the tenant. */
export const DELETION = 'delete, and sign another one up';

export const ACTS: readonly Act[] = [
  { name: 'write', weight: 8, fits: isActive, run: (tenant) => tenant.write() },
  { name: 'ask a load balancer', weight: 4, fits: isActive, run: (tenant) => tenant.waitFor(true) },
  {
    name: 'rename a load balancer',
    weight: 4,
    fits: isActive,
    run: async (tenant, drawn) => {
      const name = `web-${drawn}`;
      const one = `${tenant.balancers}/${tenant.balancer.id}`;
      carriedOut(await tenant.as.call('PATCH', one, { name }));
      const { name: now } = expected(await tenant.as.call('GET', one), 200);
      if (now !== name) throw new Error(`the load balancer is called ${now}, not ${name}`);
    },
  },
  {
    name: 'suspend, data planes running',
    weight: 2,
    fits: isActive,
    run: (tenant) => suspend(tenant, 'running'),
  },
  {
    name: 'suspend, data planes stopped',
    weight: 2,
    fits: isActive,
    run: (tenant) => suspend(tenant, 'stopped'),
  },
  { name: 'resume', weight: 6, fits: (tenant) => !isActive(tenant), run: resume },
  {
    name: DELETION,
    weight: 2,
    fits: always,
    run: async (tenant) => {
      const { operator } = tenant.lab;
      if (tenant.suspended !== 'stopped') await suspend(tenant, 'stopped');
      // It is a task of the operator's account, whose people read it.
      const own = new Caller(tenant.lab.url);
      const task = await own.ended(await operator.call('DELETE', tenant.path));
      if (task.state !== 'FINISHED') throw new Error(`the deletion failed: ${task.error}`);
    },
  },
  {
    name: 'set a quota',
    weight: 2,
    fits: isActive,
    run: async (tenant) => {
      const { operator } = tenant.lab;
      const limit = (count: number) =>
        operator.call('PATCH', `${tenant.path}/quotas`, {
          regional_limits: [{ region_id: REGION, loadbalancer_count_limit: count }],
        });
      carriedOut(await limit(1));
      const { status, body } = await tenant.as.call('POST', tenant.balancers, { name: 'one too many' });
      carriedOut(await limit(10));
      if (status < 400 || status >= 500)
        throw new Error(`beyond its quota: ${status} ${JSON.stringify(body)}`);
    },
  },
  {
    name: 'act for',
    weight: 2,
    fits: always,
    run: async (tenant, drawn) => {
      const { lab, path, project } = tenant;
      const { token } = expected(await lab.operator.call('POST', `${path}/act`, { reason: 'Ticket 7' }), 200);
      const acting = new Caller(lab.url, token);
      expected(await acting.call('GET', tenant.balancers), 200);
      const networks = `/cloud/v1/networks/${project}/${REGION}`;
      const made = await acting.call('POST', networks, { name: `inside-${drawn}` });
      if (tenant.suspended) {
        expected(made, 403);
        return;
      }
      const task = await acting.ended(made);
      const [id] = task.created_resources?.networks ?? [];
      const removed = await acting.ended(await acting.call('DELETE', `${networks}/${id}`));
      if (removed.state !== 'FINISHED') throw new Error(`acting for it: ${task.error ?? removed.error}`);
    },
  },
];

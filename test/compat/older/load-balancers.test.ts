import { expect, test } from 'vitest';
import { startTestServer } from '../../harness/server.ts';
import { shared } from '../../harness/shared.ts';
import { OlderTool, scoped } from './tool.ts';

const server = shared(startTestServer);
const tool = new OlderTool(server);

const balancers = scoped('loadbalancers');

test('load balancer: change, tag at once and by tasks', async () => {
  const id = await tool.created(balancers, { name: 'older' }, 'loadbalancers');
  const one = `${balancers}/${id}`;
  expect(await tool.does('PATCH', one, { name: 'older 2' })).toMatchObject({ id, name: 'older 2' });
  await tool.tags(one);

  const v2 = `${scoped('loadbalancers', 'v2')}/${id}`;
  await tool.finished('POST', `${v2}/metadata`, { by: 'task' });
  expect((await tool.read(`${one}/metadata`)).count).toBe(2);
  await tool.finished('PUT', `${v2}/metadata`, { only: 'this', and: 'that' });
  await tool.finished('DELETE', `${v2}/metadata_item?key=and`);
  expect((await tool.read(`${one}/metadata`)).results).toEqual([
    { key: 'only', value: 'this', read_only: false },
  ]);
  await tool.deleted(one);
});

test('listener and pool: rename, change with its members', async () => {
  const parent = await tool.created(balancers, { name: 'older parts' }, 'loadbalancers');
  const listener = await tool.created(
    scoped('lblisteners'),
    { load_balancer_id: parent, name: 'http', protocol: 'HTTP', protocol_port: 80 },
    'listeners',
  );
  const renamed = await tool.does('PATCH', `${scoped('lblisteners')}/${listener}`, { name: 'web' });
  expect(renamed).toMatchObject({ id: listener, name: 'web', task_id: null, provisioning_status: 'ACTIVE' });
  expect(await tool.read(`${scoped('lblisteners')}/${listener}`)).toEqual(renamed);

  const pool = await tool.created(
    scoped('lbpools'),
    { name: 'app', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', listener_id: listener },
    'pools',
  );
  const onePool = `${scoped('lbpools')}/${pool}`;
  await tool.finished('PATCH', onePool, {
    name: 'app 2',
    members: [{ address: '10.0.0.5', protocol_port: 80, weight: 2 }],
  });
  const changed = await tool.read(onePool);
  expect(changed).toMatchObject({ name: 'app 2', members: [{ address: '10.0.0.5', weight: 2 }] });
  const task = await tool.finished('POST', `${onePool}/member`, { address: '10.0.0.6', protocol_port: 80 });
  const [member] = task.created_resources.members;
  await tool.finished('DELETE', `${onePool}/member/${member}`);
  expect((await tool.read(onePool)).members).toHaveLength(1);
  await tool.deleted(`${balancers}/${parent}`);
});

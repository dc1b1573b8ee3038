import { expect, test } from 'vitest';
import { makeCertificate } from '../../../server/src/features/secrets/testing/certificates.ts';
import { startTestServer } from '../../harness/server.ts';
import { shared } from '../../harness/shared.ts';
import { OlderTool, scoped } from './tool.ts';

const server = shared(startTestServer);
const tool = new OlderTool(server);

const groups = scoped('securitygroups');
const rules = scoped('securitygrouprules');

/** A rule as the tool sends it: with empty texts, and with the group it belongs to. */
const rule = (port: number) => ({
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: 'tcp',
  port_range_min: port,
  port_range_max: port,
  description: '',
});
const egress = { direction: 'egress', ethertype: 'IPv4', protocol: 'any', description: '' };

test('security group: create, change its rules one by one, tag, delete', async () => {
  const made = await tool.does('POST', groups, {
    security_group: {
      name: 'older',
      description: 'of a tool',
      security_group_rules: [rule(22), egress],
      metadata: { use: 'tool' },
    },
  });
  expect(made).toMatchObject({ name: 'older', description: 'of a tool' });
  expect(made.security_group_rules).toHaveLength(2);
  const one = `${groups}/${made.id}`;
  expect(await tool.read(one)).toEqual(made);

  const added = await tool.does('POST', `${one}/rules`, { ...rule(80), security_group_id: made.id });
  expect(added).toMatchObject({ security_group_id: made.id, port_range_min: 80, protocol: 'tcp' });
  expect((await tool.call('POST', `${one}/rules`, rule(80))).status).toBe(409);
  const replaced = await tool.does('PUT', `${rules}/${added.id}`, {
    ...rule(443),
    security_group_id: made.id,
  });
  expect(replaced).toMatchObject({ id: added.id, port_range_min: 443, created_at: added.created_at });
  expect((await tool.call('PUT', `${rules}/${added.id}`, rule(22))).status).toBe(409);
  expect((await tool.read(one)).security_group_rules).toContainEqual(replaced);
  expect(await tool.does('DELETE', `${rules}/${added.id}`)).toBe('');
  expect((await tool.call('DELETE', `${rules}/${added.id}`)).status).toBe(404);

  const kept = (await tool.read(one)).security_group_rules.map(({ id }: { id: string }) => id);
  const revised = await tool.does('PATCH', one, {
    name: 'older 2',
    changed_rules: [
      { action: 'delete', security_group_rule_id: kept[0] },
      { action: 'create', ...rule(8080) },
    ],
  });
  expect(revised.name).toBe('older 2');
  expect(revised.security_group_rules.map((each: { id: string }) => each.id)).toContain(kept[1]);
  expect(revised.security_group_rules).toHaveLength(2);
  const refused = await tool.call('PATCH', one, {
    changed_rules: [{ action: 'delete', security_group_rule_id: kept[0] }],
  });
  expect(refused.body.invalid_fields).toHaveProperty(['changed_rules.0.security_group_rule_id']);
  await tool.tags(one);
  expect(await tool.does('DELETE', one)).toBe('');
  await tool.gone(one);
});

test('a new security group is refused with instances, which get it by another call', async () => {
  const body = { security_group: { name: 'older' }, instances: ['11111111-1111-4111-8111-111111111111'] };
  const { status, body: answer } = await tool.call('POST', groups, body);
  expect([status, Object.keys(answer.invalid_fields)]).toEqual([400, ['instances']]);
});

const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEYAxkI6ZU0dVk6rUwV2Xl3zJ0G0V0m0lqYzvFqQm1pT tool@virga.test';

test('key pair of a project, without a region', async () => {
  const all = '/cloud/v2/keypairs';
  const made = await tool.does('POST', all, {
    sshkey_name: 'older v2',
    public_key: PUBLIC_KEY,
    project_id: 1,
  });
  expect(made).toMatchObject({ sshkey_name: 'older v2', project_id: 1, private_key: null, state: 'ACTIVE' });
  const one = `${all}/${made.sshkey_id}`;
  expect(await tool.read(one)).toEqual(made);
  expect((await tool.read(`${all}?project_id=1&user_id=1`)).results).toContainEqual(made);
  expect((await tool.read(`${all}?user_id=2`)).results).toEqual([]);
  const elsewhere = await server.call('GET', one, { as: 'other client' });
  expect(elsewhere.status).toBe(404);
  const foreign = await tool.call('POST', all, { sshkey_name: 'older v2', project_id: 2 });
  expect(foreign.status).toBe(404);
  expect(await tool.does('DELETE', one)).toBe('');
  await tool.gone(one);
});

test('key pair in a region: made, shared, deleted', async () => {
  const all = scoped('keypairs');
  const made = await tool.does('POST', all, { sshkey_name: 'older v1', public_key: '' });
  expect(made.private_key).toContain('PRIVATE KEY');
  const one = `${all}/${made.sshkey_id}`;
  const shown = { ...made, private_key: null };
  expect(await tool.read(one)).toEqual(shown);
  expect(await tool.read(all)).toEqual({ count: 1, results: [shown] });
  expect(await tool.does('PATCH', `${one}/share`, { shared_in_project: false })).toEqual({
    ...shown,
    shared_in_project: false,
  });
  expect(await tool.does('DELETE', one)).toBe('');
  await tool.gone(one);
});

test('secret of PEM texts in base64', async () => {
  const authority = await makeCertificate(['Older authority'], { authority: true });
  const own = await makeCertificate(['older.virga.test'], { issuer: authority });
  const payload = Buffer.from(`${own.privateKey}\n${own.certificate}\n${authority.certificate}`);
  const body = {
    name: 'older',
    secret_type: 'certificate',
    payload: payload.toString('base64'),
    payload_content_encoding: 'base64',
    payload_content_type: 'application/octet-stream',
    expiration: '2040-01-01T00:00:00',
  };
  const secrets = scoped('secrets');
  const id = await tool.created(secrets, body, 'secrets');
  expect(await tool.read(`${secrets}/${id}`)).toMatchObject({ name: 'older', secret_type: 'certificate' });
  await tool.deleted(`${secrets}/${id}`);
  const refused = await tool.call('POST', secrets, { ...body, payload: 'AAAA' });
  expect(refused.body.invalid_fields).toHaveProperty('payload');
  const other = await tool.call('POST', secrets, { ...body, secret_type: 'passphrase' });
  expect(other.body.invalid_fields).toHaveProperty('secret_type');
});

import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../scripts/lib/root.mjs';
import { startTestServer } from '../../test/harness/server.ts';
import { shared } from '../../test/harness/shared.ts';
import { TABLE } from './operations.ts';

/** Agents, by the client of the official SDK. */

const server = shared(() => startTestServer());

let env: Record<string, string>;

beforeAll(async () => {
  const url = await server.api.listen({ host: '127.0.0.1', port: 0 });
  const { Administrators: VIRGA_TOKEN } = server.tokens;
  env = { VIRGA_URL: url, VIRGA_TOKEN, VIRGA_DEFAULT_REGION: '2', PATH: process.env.PATH ?? '' };
});

async function connected(...args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const command = [path.join(ROOT, 'cli/bin/virga.mjs'), 'mcp', ...args];
  await client.connect(new StdioClientTransport({ command: process.execPath, args: command, env }));
  onTestFinished(() => client.close());
  return client;
}

/** What a tool has answered. */
async function called(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  const [first] = content as readonly { readonly text: string }[];
  return { isError, text: first?.text ?? '' };
}

test('an agent that may write lists tools, creates a load balancer, and reads it', async () => {
  const client = await connected('--allow-writes');
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(TABLE.operations.filter(({ old, stream }) => !old && !stream).length);
  const create = tools.find(({ name }) => name === 'lb_create');
  expect(create).toMatchObject({
    inputSchema: { required: ['name'], properties: { listeners: {}, vip_network_id: { type: 'string' } } },
    annotations: { readOnlyHint: false, destructiveHint: false },
  });
  const listeners = [{ name: 'http', protocol: 'HTTP', protocol_port: 80 }];
  const made = await called(client, 'lb_create', { name: 'agent', listeners, tags: { by: 'agent' } });
  expect(made.isError).toBe(false);
  expect(JSON.parse(made.text)).toMatchObject({ name: 'agent', provisioning_status: 'ACTIVE' });
  expect(JSON.parse((await called(client, 'lb_get', { load_balancer_id: 'agent' })).text)).toMatchObject({
    name: 'agent',
  });
  expect(await called(client, 'lb_delete', { load_balancer_id: 'agent' })).toMatchObject({ isError: false });
});

test('without --allow-writes there are only tools that read', async () => {
  const client = await connected();
  const { tools } = await client.listTools();
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['lb_list', 'lb_price', 'task_get']));
  expect(await called(client, 'lb_create', { name: 'agent' })).toEqual({
    isError: true,
    text: 'There is no tool lb_create; tools that change something need virga mcp --allow-writes',
  });
  expect(JSON.parse((await called(client, 'region_list')).text)).toHaveLength(3);
});

test('what is refused says which field is wrong, and no text reads a file of this machine', async () => {
  const client = await connected('--allow-writes');
  const refused = await called(client, 'project_create', { name: '@/etc/passwd' });
  expect(refused.text).not.toContain('root:');
  expect((await called(client, 'network_create', { name: '?' })).text).toMatch(/^name: must /);
});

test('a model can read the document of the API, the manual and what runs', async () => {
  const client = await connected();
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining(['virga://openapi.json', 'virga://tasks/running', 'virga://docs/command.md']),
  );
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents;
    return String((content as { text?: string })?.text);
  };
  expect(JSON.parse(await read('virga://openapi.json'))).toMatchObject({ info: { title: 'Virga' } });
  expect(await read('virga://docs/command.md')).toMatch(/^# The command/);
  expect(JSON.parse(await read('virga://tasks/running'))).toEqual([]);
  await expect(read('virga://docs/../package.json')).rejects.toThrow('There is no resource');
});

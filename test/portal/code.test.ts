import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Node } from 'web-tree-sitter';
import { apiCallsOf, createVirgaClient } from '../../client/src/index.ts';
import { hclParser } from './hcl.ts';

/** The code beside a form says what the form sends: it is read back by a shell, by Python and by a parser. */

/** The portal's modules are checked with the types of a browser, which tests have not. */
const portal = (module: string) => import(new URL(`../../portal/src/${module}`, import.meta.url).href);
const { curlOf, pythonOf } = await portal('ui/code-text.ts');
const { terraform } = await portal('ui/terraform.ts');
const balancers = await portal('pages/load-balancers/draft.ts');
const instances = await portal('pages/instances/draft.ts');

const BALANCERS = '/virga/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}';
const scope = { project: 1, region: 2 };
const call = (body: unknown) => ({ method: 'POST', path: '/cloud/v1/things/1/2', body });

/** Bodies with names that break out of quotes where they can. */
const word = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', '{', '}', '%', '\n', '#', 'a', ' ') }),
);
const plain = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null));
const bodies = fc.dictionary(word, fc.oneof(plain, fc.array(plain), fc.dictionary(word, plain)), {
  noNullPrototype: true,
});

beforeAll(() => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:8080' });
});
afterAll(() => void vi.unstubAllGlobals());

test('what is shown of a call is what is sent', async () => {
  const sent: Request[] = [];
  const client = createVirgaClient({
    baseUrl: 'http://127.0.0.1:8080',
    fetch: async (request) => {
      sent.push(request);
      return Response.json({ tasks: [] });
    },
  });
  const prepare = apiCallsOf(client);
  await fc.assert(
    fc.asyncProperty(word, fc.option(word, { nil: undefined }), word, async (id, text, name) => {
      const path = { project_id: 1, region_id: 2, load_balancer_id: id };
      const query = { limit: 5, ...(text === undefined ? {} : { text }) };
      const calls = [
        prepare('get', `${BALANCERS}/access_log`, { params: { path, query } }),
        prepare('patch', '/cloud/v2/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', {
          params: { path },
          body: { name },
        }),
      ];
      for (const call of calls) {
        await call.send();
        const request = sent.pop() ?? expect.fail('nothing was sent');
        const body = await request.text();
        expect([call.method, new URL(call.path, request.url).href]).toEqual([request.method, request.url]);
        expect(body === '' ? undefined : JSON.parse(body)).toEqual(call.body);
      }
    }),
  );
});

test('a shell hands curl the whole address', () => {
  const heard = (path: string) => {
    const spy = 'curl() { printf %s "$1"; }';
    const code = curlOf({ method: 'GET', path });
    return spawnSync('sh', ['-c', `${spy}\n${code}`], { encoding: 'utf8' });
  };
  const query = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), word);
  fc.assert(
    fc.property(query, (requested) => {
      const path = `/video/token?${new URLSearchParams(requested)}`;
      expect(heard(path)).toMatchObject({ stdout: `http://127.0.0.1:8080${path}`, stderr: '', status: 0 });
    }),
    { numRuns: 60 },
  );
});

test('a shell hands curl what the form sends', () => {
  const heard = (body: unknown) => {
    const spy = 'curl() { while [ $# -gt 0 ]; do [ "$1" = -d ] && printf %s "$2"; shift; done; }';
    return spawnSync('sh', ['-c', `${spy}\n${curlOf(call(body))}`], { encoding: 'utf8' }).stdout;
  };
  // No argument of a program has a null byte.
  const given = bodies.filter((body) => !JSON.stringify(body).includes('\\u0000'));
  fc.assert(
    fc.property(given, (body) => {
      expect(JSON.parse(heard(body))).toEqual(body);
    }),
    { numRuns: 60 },
  );
});

const python = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!python)(
  `Python sends what the form sends${python ? '' : ': skipped, there is no python3'}`,
  () => {
    const spy = [
      'import json, sys, types',
      'class Answer:',
      '  def raise_for_status(self): pass',
      "  text = ''",
      'def post(url, headers, json): sent.append(json); return Answer()',
      'sent = []',
      "sys.modules['requests'] = types.SimpleNamespace(post=post)",
      "import os; os.environ['API_TOKEN'] = 'x'",
      'print = lambda *_: None',
    ].join('\n');
    const samples = fc.sample(bodies, 200);
    const script = [
      spy,
      ...samples.map((body) => pythonOf(call(body))),
      'sys.stdout.write(json.dumps(sent))',
    ];
    const { stdout, stderr } = spawnSync('python3', ['-'], { input: script.join('\n'), encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(samples);
  },
);

/** A resource as it is written: its type and label, and its arguments by name; blocks are lists. */
interface Resource {
  readonly type: string;
  readonly label: string;
  readonly given: Record<string, unknown>;
}

const parser = hclParser();

const children = (node: Node) => node.namedChildren.filter((child): child is Node => child !== null);
const child = (node: Node, type: string) => children(node).find((one) => one.type === type);

function resourcesOf(text: string): readonly Resource[] {
  const root = parser.parse(text);
  expect(root.hasError, text).toBe(false);
  const body = child(root, 'body') ?? expect.fail('no body');
  return children(body).map((block) => {
    const [type = '', label = ''] = children(block)
      .filter((one) => one.type === 'string_lit')
      .map((one) => JSON.parse(one.text) as string);
    return { type, label, given: givenIn(block) };
  });
}

function givenIn(block: Node): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const one of children(child(block, 'body') ?? block)) {
    const name = one.namedChildren[0]?.text ?? '';
    if (one.type === 'attribute') found[name] = literalOf(one.namedChildren[1]?.text ?? '');
    if (one.type === 'block') found[name] = [...((found[name] as unknown[]) ?? []), givenIn(one)];
  }
  return found;
}

/** Literals are those of JSON; what is none refers to another resource. */
function literalOf(text: string): unknown {
  const json = text.replace(/^\{([\s\S]*)\}$/, (_, inner: string) => {
    const lines = inner.split('\n').filter((line) => line.trim() !== '');
    return `{${lines.map((line) => line.replace(/^\s*"?([\w-]+)"? = /, '"$1": ')).join(',')}}`;
  });
  try {
    return JSON.parse(json);
  } catch {
    return text;
  }
}

const of = (resources: readonly Resource[], type: string) =>
  resources.filter((one) => one.type === type).map(({ given: { project_id, region_id, ...given } }) => given);

interface Listener {
  readonly name: string;
  readonly pools: readonly { readonly members: unknown; readonly healthmonitor: unknown }[];
}

describe('the wizard of load balancers', () => {
  const body = balancers.bodyOf({
    name: 'shop "one"',
    flavor: 'lb1-1-2',
    listeners: [
      {
        key: 1,
        protocol: 'TERMINATED_HTTPS',
        port: 443,
        secretId: '1f2d0b4e-0000-4000-8000-000000000001',
        algorithm: 'LEAST_CONNECTIONS',
        members: [
          { key: 1, address: '10.0.0.5', port: 8080 },
          { key: 2, address: '10.0.0.6', port: '8081' },
          { key: 3, address: '', port: 80 },
        ],
        checkPath: '/health',
      },
      {
        key: 2,
        protocol: 'TCP',
        port: '5432',
        secretId: '',
        algorithm: 'SOURCE_IP',
        members: [],
        checkPath: '',
      },
    ],
  });

  test('shows each listener, pool, check and member that is sent', () => {
    const resources = resourcesOf(balancers.terraformOf(body, scope));
    expect(of(resources, 'gcore_loadbalancerv2')).toEqual([{ name: body.name, flavor: 'lb1-1-2' }]);
    const lb = 'gcore_loadbalancerv2.lb.id';
    const listeners: readonly Listener[] = body.listeners;
    expect(of(resources, 'gcore_lblistener')).toEqual(
      listeners.map(({ pools: _, ...listener }) => ({ ...listener, loadbalancer_id: lb })),
    );
    expect(of(resources, 'gcore_lbpool')).toEqual(
      listeners.flatMap(({ name, pools }) =>
        pools.map(({ members: _, healthmonitor, ...pool }) => ({
          ...pool,
          health_monitor: [healthmonitor],
          loadbalancer_id: lb,
          listener_id: `gcore_lblistener.${name.replace('-', '_')}.id`,
        })),
      ),
    );
    expect(of(resources, 'gcore_lbmember')).toEqual([
      { address: '10.0.0.5', protocol_port: 8080, pool_id: 'gcore_lbpool.https_443_pool.id' },
      { address: '10.0.0.6', protocol_port: 8081, pool_id: 'gcore_lbpool.https_443_pool.id' },
    ]);
    const labels = resources.map(({ type, label }) => `${type}.${label}`);
    expect(new Set(labels).size).toBe(labels.length);
  });
});

describe('the wizard of instances', () => {
  const body = instances.bodyOf(
    {
      name: 'oven',
      image: 'an-image',
      flavor: 'g1-standard-1-2',
      bootSize: 20,
      sshKey: 'laptop',
      userData: '#cloud-config',
      groups: ['a-group'],
      serverGroup: 'a-server-group',
      tags: ['team=ovens'],
      volumes: [{ key: 1, size: 5 }],
      interfaces: [
        { key: 1, type: 'external', target: '', floating: false },
        { key: 2, type: 'subnet', target: 'a-subnet', floating: true },
        { key: 3, type: 'reserved_fixed_ip', target: 'a-port', floating: false },
      ],
    },
    (subnet: string) => `network of ${subnet}`,
  );

  test('shows each volume and connection that is sent, and says what there is no argument for', () => {
    const text = instances.terraformOf(body, scope);
    const resources = resourcesOf(text);
    expect(of(resources, 'gcore_volume')).toEqual([
      { name: 'oven-boot', image_id: 'an-image', size: 20 },
      { name: 'oven-data-1', size: 5 },
    ]);
    const groups = { security_groups: ['a-group'] };
    expect(of(resources, 'gcore_instancev2')).toEqual([
      {
        name: 'oven',
        flavor_id: 'g1-standard-1-2',
        keypair_name: 'laptop',
        server_group: 'a-server-group',
        user_data: body.user_data,
        metadata_map: { team: 'ovens' },
        volume: [
          { volume_id: 'gcore_volume.boot.id', boot_index: 0 },
          { volume_id: 'gcore_volume.data_1.id' },
        ],
        interface: [
          { name: 'net0', type: 'external', ...groups },
          {
            name: 'net1',
            type: 'subnet',
            subnet_id: 'a-subnet',
            network_id: 'network of a-subnet',
            ...groups,
          },
          { name: 'net2', type: 'reserved_fixed_ip', port_id: 'a-port', ...groups },
        ],
      },
    ]);
    expect(text).toContain('# The resource has no argument for: interface.floating_ip');
  });
});

test('a key has the names of its resource, and says what there is no argument for', () => {
  const body = { name: 'laptop', public_key: 'ssh-ed25519 AAAA', shared_in_project: true };
  const text = terraform('gcore_keypair', body.name, { project: 1 }, body);
  expect(resourcesOf(text)).toEqual([
    {
      type: 'gcore_keypair',
      label: 'laptop',
      given: { project_id: 1, sshkey_name: 'laptop', public_key: 'ssh-ed25519 AAAA' },
    },
  ]);
  expect(text).toContain('# The resource has no argument for: shared_in_project');
});

test('a security group has its rules and tags', () => {
  const rule = {
    direction: 'ingress',
    ethertype: 'IPv4',
    protocol: 'tcp',
    port_range_min: 80,
    port_range_max: 80,
  };
  const body = { name: 'front', description: 'For the shop', tags: { team: 'ovens' }, rules: [rule, rule] };
  const resources = resourcesOf(terraform('gcore_securitygroup', body.name, scope, body));
  expect(of(resources, 'gcore_securitygroup')).toEqual([
    {
      name: 'front',
      description: 'For the shop',
      metadata_map: { team: 'ovens' },
      security_group_rules: [rule, rule],
    },
  ]);
});

import { makeCertificate } from '../../../server/src/features/secrets/testing/certificates.ts';
import type { VirgaProcess } from '../../harness/process.ts';

/** One of everything that the portal has pages for, in the simulated region of the first project. */

const REGION = '1/2';

/** Ids of what was made, by the folder of its pages. */
export type Samples = Readonly<Record<string, string>>;

type Maker = Pick<VirgaProcess, 'call' | 'ended'>;

/** @param who names what is made, so that several sets can stand beside each other */
export async function makeSamples(virga: Maker, who = 'bakery'): Promise<Samples> {
  const post = async (target: string, body: unknown) => {
    const reply = await virga.call('POST', target, body);
    if (reply.status >= 300) throw new Error(`POST ${target}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const make = async (noun: string, body: unknown, version = 'v1') => {
    const task = await virga.ended({ body: await post(`/cloud/${version}/${noun}/${REGION}`, body) });
    if (task.error) throw new Error(`${noun}: ${task.error}`);
    return task.created_resources?.[noun]?.[0] ?? '';
  };
  const first = async (target: string) => (await virga.call('GET', target)).body.results[0];
  const network = await make('networks', { name: `${who}-net`, tags: { team: 'ovens' } });
  await make('subnets', { name: `${who}-subnet`, network_id: network, cidr: '10.66.0.0/24' });
  const image = await first(`/cloud/v1/images/${REGION}`);
  const flavor = await first(`/cloud/v1/flavors/${REGION}`);
  const keys = `${who}-laptop`;
  await post('/cloud/v1/ssh_keys/1', { name: keys });
  const [volume, router, balancer, instance, , cluster] = await Promise.all([
    make('volumes', { source: 'new-volume', name: `${who}-flour`, size: 3 }),
    make('routers', { name: `${who}-door` }),
    make('loadbalancers', {
      name: `${who}-shop`,
      tags: { env: 'production' },
      listeners: [
        {
          name: 'http',
          protocol: 'HTTP',
          protocol_port: 80,
          pools: [
            {
              name: 'web',
              protocol: 'HTTP',
              lb_algorithm: 'ROUND_ROBIN',
              members: [{ address: '10.66.0.10', protocol_port: 8080 }],
            },
          ],
        },
      ],
    }),
    make(
      'instances',
      {
        name: `${who}-oven`,
        flavor: flavor.flavor_id,
        interfaces: [{ type: 'external' }],
        volumes: [{ source: 'image', image_id: image.id, size: 20, boot_index: 0 }],
      },
      'v2',
    ),
    make('floatingips', {}),
    makeCluster(virga, post, keys, `${who}-kitchen`),
    make('reserved_fixed_ips', { type: 'external' }),
  ]);
  await make('snapshots', { name: `${who}-before`, volume_id: volume });
  await post(`/cloud/v1/lifecycle_policy/${REGION}`, {
    name: `${who}-nightly`,
    action: 'volume_snapshot',
    schedules: [{ type: 'cron', hour: '3', max_quantity: 7 }],
    volume_ids: [volume],
  });
  const group = await post(`/cloud/v1/securitygroups/${REGION}`, {
    security_group: { name: `${who}-front` },
  });
  await post(`/cloud/v1/servergroups/${REGION}`, { name: `${who}-apart`, policy: 'anti-affinity' });
  const { certificate, privateKey } = await makeCertificate([`${who}.example.test`]);
  await post(`/cloud/v2/secrets/${REGION}`, {
    name: `${who}-site`,
    payload: { certificate, certificate_chain: certificate, private_key: privateKey },
  });
  await post('/cloud/v3/inference/1/secrets', {
    name: `${who}-bucket`,
    type: 'aws-iam',
    data: { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'not-a-real-one' },
  });
  const registry = { registry_url: 'docker.io', username: who, password: 'not-a-real-one' };
  await post('/cloud/v3/inference/1/registry_credentials', { name: `${who}-registry`, ...registry });
  const pages = await post('/waap/v1/custom-page-sets', { name: `${who} pages`, block: { enabled: true } });
  await post('/storage/notifications/v1/event', {
    name: 'reaching_used_space',
    storage_name: `${who}-media`,
    bytes: 10e9,
  });
  const { body: tasks } = await virga.call('GET', '/cloud/v1/tasks?task_type=create_loadbalancer&limit=1');
  const task: string = tasks.results[0].id;
  return {
    'load-balancers': balancer,
    networks: network,
    routers: router,
    'security-groups': group.id,
    kubernetes: cluster,
    instances: instance,
    volumes: volume,
    tasks: task,
    'response-pages': String(pages.id),
    clients: '1',
  };
}

async function makeCluster(
  virga: Maker,
  post: (target: string, body: unknown) => Promise<{ tasks?: string[] }>,
  keypair: string,
  name: string,
): Promise<string> {
  const [versions, flavors] = await Promise.all([
    virga.call('GET', `/cloud/v2/k8s/${REGION}/create_versions`),
    virga.call('GET', `/cloud/v1/k8s/${REGION}/flavors`),
  ]);
  const [flavor] = flavors.body.results;
  const task = await virga.ended({
    body: await post(`/cloud/v2/k8s/clusters/${REGION}`, {
      name,
      version: versions.body.results[0].version,
      keypair,
      pools: [{ name: 'workers', flavor_id: flavor.flavor_id, min_node_count: 1, max_node_count: 2 }],
    }),
  });
  if (task.error) throw new Error(`cluster ${name}: ${task.error}`);
  return name;
}

import {
  anImage,
  INSTANCES,
  INSTANCES_V2,
  instanceBody,
} from '../../../server/src/features/instances/testing/bodies.ts';
import { type Preparation, post, remove, type Scenario } from './scenario.ts';

const NETWORKS = '/cloud/v1/networks/1/2';
const VOLUMES = '/cloud/v1/volumes/1/2';
const RESERVED = '/cloud/v1/reserved_fixed_ips/1/2';

const image = ({ call }: Preparation) => anImage((path) => call({ method: 'GET', path }));

async function network({ finished }: Preparation): Promise<readonly [network: string, subnet: string]> {
  const network_id = await finished(post(NETWORKS, { name: 'net' }), 'networks');
  const subnet = { name: 'sub', network_id, cidr: '192.168.10.0/24' };
  return [network_id, await finished(post('/cloud/v1/subnets/1/2', subnet), 'subnets')];
}

const made = async (setup: Preparation, more: object = {}) =>
  setup.finished(post(INSTANCES_V2, instanceBody(await image(setup), { ...more })), 'instances');

/** With a volume and a reserved address that stay, and others that go. */
async function furnished(setup: Preparation): Promise<readonly string[]> {
  const image_id = await image(setup);
  const volume_id = await setup.finished(
    post(VOLUMES, { source: 'new-volume', name: 'data', size: 5 }),
    'volumes',
  );
  const port_id = await setup.finished(post(RESERVED, { type: 'external' }), 'ports');
  const existing_floating_id = await setup.finished(post('/cloud/v1/floatingips/1/2', {}), 'floatingips');
  const [network_id, subnet_id] = await network(setup);
  const id = await setup.finished(
    post(INSTANCES_V2, {
      ...instanceBody(image_id),
      volumes: [
        { source: 'image', image_id, size: 10, delete_on_termination: true },
        { source: 'existing-volume', volume_id },
        { source: 'new-volume', size: 1 },
      ],
      interfaces: [
        { type: 'reserved_fixed_ip', port_id },
        { type: 'subnet', network_id, subnet_id, floating_ip: { source: 'new' } },
        { type: 'subnet', network_id, subnet_id, floating_ip: { source: 'existing', existing_floating_id } },
      ],
    }),
    'instances',
  );
  return [id, volume_id, port_id, existing_floating_id];
}

async function serverGroup({ call }: Preparation): Promise<string> {
  const { body } = await call(post('/cloud/v1/servergroups/1/2', { name: 'apart', policy: 'anti-affinity' }));
  return body.servergroup_id;
}

const action = (id: string, name: string) => post(`${INSTANCES_V2}/${id}/action`, { action: name });

/** One after an action. */
const after = (first: string) => async (setup: Preparation) => {
  const id = await made(setup);
  await setup.finished(action(id, first));
  return id;
};

export const instances: Readonly<Record<string, Scenario>> = {
  create_vm: {
    prepare: async (setup) => [
      await image(setup),
      ...(await network(setup)),
      await setup.finished(post(VOLUMES, { source: 'new-volume', name: 'data', size: 5 }), 'volumes'),
      await setup.finished(post(RESERVED, { type: 'external' }), 'ports'),
    ],
    start: (image_id = '', network_id, subnet_id, volume_id, port_id) =>
      post(INSTANCES_V2, {
        flavor: 'g1-standard-2-4',
        name_template: 'web-{ip_octets}',
        volumes: [
          { source: 'image', image_id, size: 10 },
          { source: 'existing-volume', volume_id },
        ],
        interfaces: [
          { type: 'external' },
          { type: 'subnet', network_id, subnet_id, floating_ip: { source: 'new' } },
          { type: 'reserved_fixed_ip', port_id },
        ],
        username: 'admin',
        password: 'secret',
        tags: { on: 'call' },
      }),
  },
  delete_vm: { prepare: made, start: (id) => remove(`${INSTANCES}/${id}`) },
  'delete_vm with what it has': {
    prepare: furnished,
    start: (id, volume, port, floating) =>
      remove(`${INSTANCES}/${id}?volumes=${volume}&reserved_fixed_ips=${port}&floatings=${floating}`),
  },
  stop_vm: { prepare: made, start: (id) => action(String(id), 'stop') },
  start_vm: { prepare: after('stop'), start: (id) => action(String(id), 'start') },
  suspend_vm: { prepare: made, start: (id) => action(String(id), 'suspend') },
  resume_vm: { prepare: after('suspend'), start: (id) => action(String(id), 'resume') },
  soft_reboot_vm: { prepare: made, start: (id) => action(String(id), 'reboot') },
  hard_reboot_vm: { prepare: after('stop'), start: (id) => action(String(id), 'reboot_hard') },
  attach_vm_interface: {
    prepare: made,
    start: (id) => post(`${INSTANCES}/${id}/attach_interface`, { type: 'external' }),
  },
  'attach_vm_interface reserved': {
    prepare: async (setup) => [
      await made(setup),
      await setup.finished(post(RESERVED, { type: 'external' }), 'ports'),
    ],
    start: (id, port_id) =>
      post(`${INSTANCES}/${id}/attach_interface`, { type: 'reserved_fixed_ip', port_id }),
  },
  detach_vm_interface: {
    prepare: async (setup) => {
      const [id = ''] = await furnished(setup);
      const { body } = await setup.call({ method: 'GET', path: `${INSTANCES}/${id}/interfaces` });
      const { port_id, ip_assignments } = body.results[1];
      return [id, port_id, ip_assignments[0].ip_address];
    },
    start: (id, port_id, ip_address) => post(`${INSTANCES}/${id}/detach_interface`, { port_id, ip_address }),
  },
  put_into_servergroup: {
    prepare: async (setup) => [await made(setup), await serverGroup(setup)],
    start: (id, servergroup_id) => post(`${INSTANCES}/${id}/put_into_servergroup`, { servergroup_id }),
  },
  remove_from_servergroup: {
    prepare: async (setup) => made(setup, { servergroup_id: await serverGroup(setup) }),
    start: (id) => post(`${INSTANCES}/${id}/remove_from_servergroup`),
  },
  resize_vm: {
    prepare: made,
    start: (id) => post(`${INSTANCES}/${id}/changeflavor`, { flavor_id: 'g1-standard-2-4' }),
  },
};

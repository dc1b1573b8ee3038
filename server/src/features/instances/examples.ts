import { DEBIAN, type Examples, SAMPLE, several } from '../../platform/openapi/examples.ts';

const boot = { source: 'image', image_id: DEBIAN, size: 10, boot_index: 0, delete_on_termination: true };
const flavor = 'g1-standard-2-4';
const security = { security_group_names: ['shop-web'], port_id: SAMPLE.port };

export const instanceExamples: Examples = {
  CreateInstance: several({
    'On the internet': {
      name: 'shop-web-1',
      flavor,
      volumes: [boot],
      interfaces: [{ type: 'external' }],
      ssh_key_name: 'anna-laptop',
      tags: { environment: 'production' },
    },
    'In a network of its own, with a floating IP and a disk for data': {
      name: 'shop-db-1',
      flavor: 'g1-memory-2-16',
      volumes: [boot, { source: 'new-volume', name: 'shop-db-data', size: 50, type_name: 'ssd_hiiops' }],
      interfaces: [
        {
          type: 'subnet',
          network_id: SAMPLE.network,
          subnet_id: SAMPLE.subnet,
          floating_ip: { source: 'new' },
        },
      ],
      security_groups: [{ id: SAMPLE.group }],
      servergroup_id: SAMPLE.serverGroup,
      username: 'anna',
      password: 'correct horse battery staple',
    },
  }),
  UpdateInstance: { name: 'shop-web-2', tags: { environment: 'staging' } },
  InstanceAction: several({
    Stop: { action: 'stop' },
    Reboot: { action: 'reboot' },
    Suspend: { action: 'suspend' },
  }),
  StartInstance: { activate_profile: false },
  ChangeFlavor: { flavor_id: 'g1-standard-4-8' },
  AttachInterface: several({
    'To a subnet': { type: 'subnet', subnet_id: SAMPLE.subnet, security_groups: [{ id: SAMPLE.group }] },
    'At a reserved address': { type: 'reserved_fixed_ip', port_id: SAMPLE.reservedPort },
    'To the internet': { type: 'external', ip_family: 'ipv4' },
  }),
  DetachInterface: { port_id: SAMPLE.secondInstancePort, ip_address: '192.168.10.20' },
  PortSecurityGroups: { ports_security_group_names: [security] },
  PutIntoServerGroup: { servergroup_id: SAMPLE.serverGroup },
  AvailableFlavors: { volumes: [{ source: 'image', image_id: DEBIAN, size: 10, boot_index: 0 }] },
  CheckInstanceLimits: {
    flavor,
    names: ['shop-web-1', 'shop-web-2'],
    volumes: [{ source: 'new-volume', size: 10, type_name: 'ssd_hiiops' }],
    interfaces: [{ type: 'external', ip_family: 'ipv4', floating_ip: { source: 'new' } }],
  },
  InstanceMetricsWindow: { time_interval: 6, time_unit: 'hour' },
};

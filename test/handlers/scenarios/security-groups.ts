import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';

const GROUPS = '/cloud/v1/securitygroups/1/2';
const V2 = '/cloud/v2/security_groups/1/2';

const ssh = { direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 };
const body = { name: 'web', rules: [ssh], tags: { on: 'call' } };
const group = ({ finished }: Preparation) => finished(post(V2, body), 'security_groups');

const SERVER_GROUPS = '/cloud/v1/servergroups/1/2';

export const serverGroups: Readonly<Record<string, Scenario>> = {
  delete_servergroup: {
    prepare: async ({ call }) => {
      const { body } = await call(post(SERVER_GROUPS, { name: 'apart', policy: 'anti-affinity' }));
      return body.servergroup_id;
    },
    start: (id) => remove(`${SERVER_GROUPS}/${id}`),
  },
};

export const securityGroups: Readonly<Record<string, Scenario>> = {
  create_security_group: { start: () => post(V2, body) },
  update_security_group: {
    prepare: group,
    start: (id) => patch(`${V2}/${id}`, { name: 'renamed', rules: [{ direction: 'egress' }, ssh] }),
  },
  create_security_group_rule: {
    prepare: group,
    start: (id) => post(`${V2}/${id}/rules`, { direction: 'egress', ethertype: 'IPv6', protocol: 'tcp' }),
  },
  delete_security_group_rule: {
    prepare: async (setup) => {
      const id = await group(setup);
      return [
        id,
        await setup.finished(
          post(`${V2}/${id}/rules`, { direction: 'egress', protocol: 'udp' }),
          'security_group_rules',
        ),
      ];
    },
    start: (id, rule) => remove(`${V2}/${id}/rules/${rule}`),
  },
  delete_security_group: {
    prepare: group,
    start: (id) => ({ ...remove(`${GROUPS}/${id}`), waits: true }),
  },
};

import { useQuery } from '@tanstack/react-query';
import { networks, reservedAddresses, securityGroups, subnets } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { CopyText } from '../../ui/copy.tsx';
import { choiceField, optionField } from '../../ui/fields.ts';
import { optionsOf } from '../../ui/options.ts';
import { Parts } from '../../ui/parts.tsx';
import { rowCall } from '../../ui/row-call.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import { type Field, given, text } from '../../ui/side-form.tsx';
import type { Column } from '../../ui/table.tsx';
import { list } from '../../ui/values.ts';
import type { Instance } from './list.tsx';
import { whyNot } from './verbs.tsx';

const INSTANCE = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';

type Interface = Schemas['InstanceInterfaceList']['results'][number];

const COLUMNS: readonly Column<Interface>[] = [
  {
    label: 'Address',
    cell: ({ ip_assignments }) =>
      ip_assignments.map(({ ip_address }) => (
        <div key={ip_address}>
          <CopyText value={ip_address} label="Copy address" />
        </div>
      )),
  },
  { label: 'Network', cell: ({ network_details }) => network_details.name },
  {
    label: 'Floating IP',
    cell: ({ floatingip_details }) =>
      floatingip_details.map(({ floating_ip_address }) => floating_ip_address).join(', ') || 'none',
  },
  { label: 'MAC address', cell: ({ mac_address }) => <code>{mac_address}</code>, wideOnly: true },
];

/** What joins an instance to a network; the fields of one in its form. */
export const interfaceFields = (scope: { project: number; region: number }): readonly Field[] => [
  optionField(
    'type',
    'Connect it to',
    optionsOf({
      any_subnet: 'A network, on any of its subnets',
      subnet: 'A subnet',
      external: 'External network, with an address of its own',
      reserved_fixed_ip: 'A reserved fixed IP',
    }),
    { initial: 'any_subnet' },
  ),
  choiceField('network_id', 'Network', networks(scope), { when: ({ type }) => type === 'any_subnet' }),
  choiceField('subnet_id', 'Subnet', subnets(scope), { when: ({ type }) => type === 'subnet' }),
  choiceField('port_id', 'Reserved fixed IP', reservedAddresses(scope), {
    when: ({ type }) => type === 'reserved_fixed_ip',
  }),
];

/** Where an instance stands in networks. */
export function Interfaces({ instance }: { readonly instance: Instance }) {
  const scope = useScope();
  const path = { ...pathParams(scope), instance_id: instance.id };
  const why = whyNot(['ACTIVE', 'SHUTOFF', 'ERROR']);
  const query = useQuery(api.queryOptions('get', `${INSTANCE}/interfaces`, { params: { path } }));
  const attach = useRowForm<Instance, Schemas['AttachInterface']>({
    label: 'Attach interface',
    disabled: why,
    form: () => ({
      title: `Attach an interface to ${instance.name}`,
      fields: [
        ...interfaceFields(scope),
        {
          key: 'security_groups',
          label: 'Security groups',
          about: 'None: the default one of the project',
          kind: 'choices',
          choices: securityGroups(scope),
          when: ({ type }) => type !== 'reserved_fixed_ip',
        },
      ],
      body: (values) => {
        const type = text(values, 'type') as 'subnet';
        const key = { any_subnet: 'network_id', reserved_fixed_ip: 'port_id' }[type as string] ?? 'subnet_id';
        return {
          type,
          ...((type as string) === 'external' ? {} : { [key]: text(values, key) }),
          ...given({ security_groups: list(values, 'security_groups').map((id) => ({ id })) }),
        };
      },
      request: (body) => apiCall('post', `${INSTANCE}/attach_interface`, { params: { path }, body }),
    }),
  });
  const detach = rowCall<Interface>({
    label: 'Detach',
    danger: true,
    title: ({ ip_assignments }) => `Detach ${ip_assignments[0]?.ip_address} from ${instance.name}`,
    call: ({ port_id, ip_assignments }) =>
      apiCall('post', `${INSTANCE}/detach_interface`, {
        params: { path },
        body: { port_id, ip_address: ip_assignments[0]?.ip_address ?? '' },
      }),
    disabled: () => why(instance),
  });
  return (
    <Parts
      title="Interfaces"
      of={instance}
      query={query}
      columns={COLUMNS}
      create={attach}
      actions={[detach]}
      empty={{ title: 'No interfaces', about: 'Without one nobody can reach it, and it reaches nobody.' }}
    />
  );
}

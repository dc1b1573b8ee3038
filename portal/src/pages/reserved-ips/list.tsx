import { useQuery } from '@tanstack/react-query';
import { networks, subnets } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { choiceField, optionField, textField } from '../../ui/fields.ts';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { rowCall } from '../../ui/row-call.ts';
import type { Field, Values } from '../../ui/side-form.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';
import { texts } from '../../ui/values.ts';
import { useWhereItLives } from '../../ui/where-it-lives.tsx';

const RESERVED_IPS = '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}';

type Reserved = Schemas['ReservedFixedIp'];
type Body = Schemas['CreateReservedFixedIp'];

const addressOf = ({ fixed_ip_address, fixed_ipv6_address }: Reserved) =>
  fixed_ip_address ?? fixed_ipv6_address ?? 'none yet';

const ownerOf = ({ reservation }: Reserved) =>
  reservation?.resource_type ? reservation.resource_type.replaceAll('_', ' ') : 'nothing';

const COLUMNS: readonly Column<Reserved>[] = [
  {
    label: 'Address',
    order: 'fixed_ip_address',
    cell: (ip) => <CopyText value={addressOf(ip)} label="Copy address" />,
  },
  { label: 'Status', order: 'status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Network', cell: ({ network }) => network.name },
  { label: 'Used by', cell: ownerOf },
  { label: 'Virtual', cell: ({ is_vip }) => (is_vip ? 'yes, may be shared' : 'no') },
  { label: 'Created', order: 'created_at', cell: ({ created_at }) => <Time at={created_at} /> },
];

const fieldsOf = (scope: { project: number; region: number }): readonly Field[] => [
  optionField(
    'type',
    'Source',
    optionsOf({
      external: 'External network',
      any_subnet: 'A network, on any of its subnets',
      subnet: 'A subnet',
      ip_address: 'A network, a certain address',
    }),
    { initial: 'external' },
  ),
  choiceField('network_id', 'Network', networks(scope), {
    when: ({ type }) => type === 'any_subnet' || type === 'ip_address',
  }),
  choiceField('subnet_id', 'Subnet', subnets(scope), { when: ({ type }) => type === 'subnet' }),
  textField('ip_address', 'Address', { placeholder: '10.0.0.20', when: ({ type }) => type === 'ip_address' }),
  {
    key: 'is_vip',
    label: 'Virtual: several instances may share it',
    kind: 'switch',
  },
];

function bodyOf(values: Values): Body {
  const more = values.is_vip === true ? { is_vip: true } : {};
  switch (values.type) {
    case 'any_subnet':
      return { type: 'any_subnet', ...texts(values, 'network_id'), ...more };
    case 'subnet':
      return { type: 'subnet', ...texts(values, 'subnet_id'), ...more };
    case 'ip_address':
      return { type: 'ip_address', ...texts(values, 'network_id', 'ip_address'), ...more };
    default:
      return { type: 'external', ...more };
  }
}

/** Addresses that stay yours, used or not. */
export function ReservedIps() {
  const { scope, path, params } = useListOfScope(({ address, kind, order_by }) => ({
    ip_address: address,
    ...(kind ? { [kind]: true } : {}),
    order_by: order_by as 'created_at.asc',
  }));
  const result = useQuery(api.queryOptions('get', RESERVED_IPS, { params }));
  const lives = useWhereItLives<Reserved>({ called: addressOf });
  return (
    <NounPage<Reserved, Body>
      title="Reserved fixed IPs"
      about="An address that stays yours, and that you give to an instance or a load balancer when you want."
      filters={[
        textFilter('address', 'Address'),
        choiceFilter(
          'kind',
          'Which',
          optionsOf({
            external_only: 'Of the outside',
            internal_only: 'Of networks',
            available_only: 'Free',
            vip_only: 'Virtual',
          }),
        ),
      ]}
      defaultOrder="fixed_ip_address.asc"
      result={result}
      columns={COLUMNS}
      actions={[
        rowCall<Reserved>({
          label: 'Virtual or not',
          title: (ip) => `Change ${addressOf(ip)}`,
          call: ({ port_id, is_vip }) =>
            apiCall('patch', `${RESERVED_IPS}/{port_id}`, {
              params: { path: { ...path, port_id } },
              body: { is_vip: !is_vip },
            }),
          disabled: whyBusy,
        }),
      ]}
      verbs={lives}
      remove={{
        kind: 'reserved fixed IP',
        nameOf: addressOf,
        consequences: () => 'The address is released, and somebody else may get it.',
        disabled: (ip) =>
          whyBusy(ip) ??
          (ip.reservation?.resource_id
            ? `It is used by the ${ownerOf(ip)} ${ip.reservation.resource_id.slice(0, 8)}`
            : undefined),
        call: ({ port_id }) =>
          apiCall('delete', `${RESERVED_IPS}/{port_id}`, { params: { path: { ...path, port_id } } }),
      }}
      empty={{ title: 'No reserved fixed IPs', about: 'Reserve one before you tell it to others.' }}
      form={{
        title: 'Reserve fixed IP',
        fields: fieldsOf(scope),
        body: bodyOf,
        request: (body) => apiCall('post', RESERVED_IPS, { params: { path }, body }),
        terraform: (body) => terraform('gcore_reservedfixedip', 'address', scope, { ...body }),
      }}
    />
  );
}

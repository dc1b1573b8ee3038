import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { securityGroups } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { CopyText } from '../../ui/copy.tsx';
import { choiceFilter, textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { useRowForm } from '../../ui/row-form.tsx';
import { Time } from '../../ui/time.tsx';
import { list } from '../../ui/values.ts';
import { useWhereItLives } from '../../ui/where-it-lives.tsx';

const PORTS = '/cloud/v1/ports/{project_id}/{region_id}';

type Port = Schemas['Port'];

const PAGES: Readonly<Record<string, string>> = {
  instance: 'instances',
  load_balancer: 'load-balancers',
  router: 'routers',
};

/** What stands on addresses of networks, whatever it is. */
export function Ports() {
  const { scope, path, params } = useListOfScope(({ address, attached, order_by }) => ({
    ip_addresses: address ? [address] : [],
    attached: attached ? attached === 'yes' : undefined,
    order_by: order_by as 'created_at.asc',
  }));
  const result = useQuery(api.queryOptions('get', PORTS, { params }));
  const edit = useRowForm<Port, Schemas['UpdatePort']>({
    label: 'Security groups…',
    disabled: ({ capabilities }) =>
      capabilities?.security_groups ? undefined : 'What it belongs to accepts no security groups',
    form: (port) => ({
      title: `Security groups of ${addressOf(port)}`,
      verb: 'Save',
      fields: [
        {
          key: 'security_group_ids',
          label: 'Security groups',
          kind: 'choices',
          choices: securityGroups(scope),
          initial: port.security_group_ids,
        },
        {
          key: 'allowed_address_pairs',
          label: 'Allowed address pairs',
          kind: 'list',
          placeholder: '10.0.0.20 or 10.0.1.0/24, then Enter',
          initial: port.allowed_address_pairs.map(({ ip_address }) => ip_address),
        },
      ],
      body: (values) => ({
        security_group_ids: [...list(values, 'security_group_ids')],
        allowed_address_pairs: list(values, 'allowed_address_pairs').map((ip_address) => ({ ip_address })),
      }),
      request: (body) =>
        apiCall('patch', `${PORTS}/{port_id}`, { params: { path: { ...path, port_id: port.id } }, body }),
    }),
  });
  const lives = useWhereItLives<Port>({ called: addressOf });
  const columns: readonly Column<Port>[] = [
    { label: 'Address', cell: (port) => <CopyText value={addressOf(port)} label="Copy address" /> },
    { label: 'Belongs to', cell: ({ attached_to }) => <Owner of={attached_to} /> },
    { label: 'MAC address', cell: ({ mac_address }) => <code>{mac_address}</code>, wideOnly: true },
    { label: 'Security groups', cell: ({ security_group_ids }) => security_group_ids.length, end: true },
    {
      label: 'Managed by',
      cell: ({ managed_by }) => (managed_by === 'user' ? 'you' : 'the cloud'),
      wideOnly: true,
    },
    { label: 'Created', order: 'created_at', cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return (
    <NounPage<Port, never>
      title="Ports"
      about="Everything that stands on an address of a network: interfaces of instances, load balancers, routers, reservations."
      filters={[
        textFilter('address', 'Address'),
        choiceFilter('attached', 'Use', optionsOf({ yes: 'Used', no: 'Free' })),
      ]}
      defaultOrder="created_at.desc"
      result={result}
      columns={columns}
      verbs={[edit, ...lives]}
      empty={{
        title: 'No ports',
        about: 'They come with what you connect: an instance, a load balancer, a reserved fixed IP.',
      }}
    />
  );
}

const addressOf = ({ ip_assignments }: Port) => ip_assignments[0]?.ip_address ?? 'none';

function Owner({ of }: { readonly of: Port['attached_to'] }) {
  const scope = useScope();
  if (!of?.resource_type || !of.resource_id) return 'nothing';
  const page = PAGES[of.resource_type];
  const words = of.resource_type.replaceAll('_', ' ');
  if (!page) return words;
  return (
    <Link className="link" to={pathIn(scope, page, of.resource_id)}>
      {words} {of.resource_id.slice(0, 8)}
    </Link>
  );
}

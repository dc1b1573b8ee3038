import { useQuery } from '@tanstack/react-query';
import { subnets } from '../../api/choices.ts';
import { type ApiCall, api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn, pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { Detail, useDetailScope } from '../../ui/detail.tsx';
import { useFieldForm } from '../../ui/field-form.ts';
import { choiceField } from '../../ui/fields.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { rowCall } from '../../ui/row-call.ts';
import { editing, useRowForm } from '../../ui/row-form.tsx';
import { text } from '../../ui/side-form.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { list } from '../../ui/values.ts';
import { type Router, routerDeletion } from './list.tsx';

const ROUTER = '/cloud/v1/routers/{project_id}/{region_id}/{router_id}';

/** One router: the subnets on it, the way outside, its routes. */
export function RouterDetail() {
  const { scope, id, back } = useDetailScope('routers', 'Routers');
  const path = { ...pathParams(scope), router_id: id };
  const query = useQuery(api.queryOptions('get', ROUTER, { params: { path } }));
  const attach = useFieldForm({
    label: 'Attach subnet…',
    disabled: whyBusy,
    title: ({ name }: Router) => `Attach a subnet to ${name}`,
    asks: 'subnet_id',
    field: (key) => choiceField(key, 'Subnet', subnets(scope)),
    request: (_, body) => apiCall('post', `${ROUTER}/attach`, { params: { path }, body }),
  });
  const edit = useRowForm<Router, Schemas['UpdateRouter']>({
    label: 'Rename, routes…',
    disabled: whyBusy,
    form: (router) => ({
      ...editing(router.name, [
        {
          key: 'routes',
          label: 'Routes',
          about: 'Each a range and where it leads',
          placeholder: '10.9.0.0/16 via 10.0.0.5, then Enter',
          kind: 'list',
          initial: router.routes.map(({ destination, nexthop }) => `${destination} via ${nexthop}`),
        },
      ]),
      body: (values) => ({
        name: text(values, 'name'),
        routes: list(values, 'routes').map((route) => {
          const [destination = '', nexthop = ''] = route.split(/\s+via\s+|\s+/);
          return { destination, nexthop };
        }),
      }),
      request: (body) =>
        apiCall('patch', '/cloud/v2/routers/{project_id}/{region_id}/{router_id}', {
          params: { path: path },
          body,
        }),
    }),
  });
  const detach = (subnetId: string) =>
    apiCall('post', `${ROUTER}/detach`, { params: { path: path }, body: { subnet_id: subnetId } });
  return (
    <Detail<Router>
      kind="Router"
      back={back}
      query={query}
      badge={({ status }) => <StatusBadge status={status} />}
      verbs={[attach, edit]}
      remove={routerDeletion(pathParams(scope))}
      head={(router) => (
        <ActionButton
          size="sm"
          variant="filled"
          action={{ ...attach.action, label: 'Attach subnet' }}
          row={router}
        />
      )}
      facts={(router) => [
        {
          label: 'External address',
          value: router.external_gateway_info?.external_fixed_ips[0]?.ip_address ?? 'none',
        },
        {
          label: 'Source NAT',
          value: router.external_gateway_info?.enable_snat ? 'yes' : 'no',
        },
        { label: 'Created', value: <Time at={router.created_at} /> },
      ]}
    >
      {(router) => (
        <>
          <Interfaces router={router} detach={detach} />
          <Routes router={router} />
        </>
      )}
    </Detail>
  );
}

interface InterfacesProps {
  readonly router: Router;
  readonly detach: (subnetId: string) => ApiCall;
}

function Interfaces({ router, detach }: InterfacesProps) {
  const scope = useScope();
  const params = { path: pathParams(scope), query: { limit: 1000 } };
  const networks = useQuery(
    api.queryOptions('get', '/cloud/v1/networks/{project_id}/{region_id}', { params }),
  );
  const subnets = useQuery(api.queryOptions('get', '/cloud/v1/subnets/{project_id}/{region_id}', { params }));
  const nameOf = (all: typeof networks | typeof subnets, id = '') =>
    all.data?.results.find((one) => one.id === id)?.name ?? id;
  return (
    <Card title="Subnets">
      {router.interfaces.length === 0 ? (
        <Empty title="No subnets" about="Attach the subnets that should reach each other." />
      ) : (
        <Table
          title="Subnets"
          rows={router.interfaces}
          rowKey={({ port_id }) => port_id}
          href={({ network_id }) => pathIn(scope, 'networks', network_id)}
          columns={[
            {
              label: 'Subnet',
              cell: ({ ip_assignments: [first] }) => nameOf(subnets, first?.subnet_id),
            },
            { label: 'Network', cell: ({ network_id }) => nameOf(networks, network_id) },
            {
              label: 'Router address',
              cell: ({ ip_assignments }) => (
                <code>{ip_assignments.map(({ ip_address }) => ip_address).join(', ')}</code>
              ),
            },
            { label: 'MAC address', cell: ({ mac_address }) => <code>{mac_address}</code>, wideOnly: true },
          ]}
          actions={[
            rowCall<Router['interfaces'][number]>({
              label: 'Detach',
              title: () => 'Detach the subnet',
              danger: true,
              disabled: () => whyBusy(router),
              call: ({ ip_assignments }) => detach(ip_assignments[0]?.subnet_id ?? ''),
            }),
          ]}
        />
      )}
    </Card>
  );
}

function Routes({ router }: { readonly router: Router }) {
  if (router.routes.length === 0) return null;
  return (
    <Card title="Routes">
      <Table
        title="Routes"
        rows={router.routes}
        rowKey={({ destination, nexthop }) => `${destination} ${nexthop}`}
        columns={[
          { label: 'Range', cell: ({ destination }) => <code>{destination}</code> },
          { label: 'Leads to', cell: ({ nexthop }) => <code>{nexthop}</code> },
        ]}
      />
    </Card>
  );
}

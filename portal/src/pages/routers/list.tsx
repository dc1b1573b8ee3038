import { useQuery } from '@tanstack/react-query';
import { subnets } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { type DeleteOptions, whyBusy } from '../../ui/delete-action.tsx';
import { textField } from '../../ui/fields.ts';
import { textFilter } from '../../ui/filters.tsx';
import { toCreated } from '../../ui/follow-task.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { given, text } from '../../ui/side-form.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';
import { list } from '../../ui/values.ts';

const ROUTERS = '/cloud/v1/routers/{project_id}/{region_id}';

export type Router = Schemas['Router'];

const outsideOf = ({ external_gateway_info: gateway }: Router) =>
  gateway?.external_fixed_ips[0]?.ip_address ?? (gateway ? 'yes' : 'no');

const COLUMNS: readonly Column<Router>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'External address', cell: outsideOf },
  { label: 'Subnets', cell: ({ interfaces }) => interfaces.length, end: true },
  { label: 'Routes', cell: ({ routes }) => routes.length, end: true, wideOnly: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The call that deletes a router, and what it says before. */
export const routerDeletion = (path: { project_id: number; region_id: number }): DeleteOptions<Router> => ({
  kind: 'router',
  askName: ({ interfaces }) => interfaces.length > 0,
  consequences: ({ interfaces }) =>
    interfaces.length > 0
      ? `Its ${interfaces.length} subnets no longer reach each other and the outside.`
      : 'No subnet is on it.',
  disabled: whyBusy,
  call: ({ id }) =>
    apiCall('delete', `${ROUTERS}/{router_id}`, { params: { path: { ...path, router_id: id } } }),
});

/** What joins subnets to each other and to the outside. */
export function Routers() {
  const { scope, path, params } = useListOfScope(({ name }) => ({ name__contains: name }));
  const result = useQuery(api.queryOptions('get', ROUTERS, { params }));
  return (
    <NounPage<Router, Schemas['CreateRouter']>
      title="Routers"
      about="Connects subnets to each other and to the external network."
      filters={[textFilter('name', 'Name')]}
      result={result}
      columns={COLUMNS}
      href={({ id }) => pathIn(scope, 'routers', id)}
      remove={routerDeletion(path)}
      empty={{ title: 'No routers', about: 'A subnet without one reaches only itself.' }}
      form={{
        title: 'Create router',
        fields: [
          textField('name', 'Name'),
          {
            key: 'outside',
            label: 'External gateway',
            about: 'With an address of the region’s external network',
            kind: 'switch',
            initial: true,
          },
          {
            key: 'subnets',
            label: 'Subnets',
            kind: 'choices',
            choices: subnets(scope),
            fault: 'interfaces',
          },
        ],
        body: (values) => ({
          name: text(values, 'name'),
          ...(values.outside === true
            ? { external_gateway_info: { type: 'default' as const, enable_snat: true } }
            : {}),
          ...given({
            interfaces: list(values, 'subnets').map((subnet_id) => ({ type: 'subnet' as const, subnet_id })),
          }),
        }),
        request: (body) => apiCall('post', ROUTERS, { params: { path }, body }),
        terraform: (body) => terraform('gcore_router', body.name, scope, { ...body }),
        to: toCreated(scope, 'routers'),
      }}
    />
  );
}

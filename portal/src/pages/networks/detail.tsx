import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiCall, faultOf, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { SubnetStrip } from '../../pictures/subnet-strip.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { useDelete } from '../../ui/delete-action.tsx';
import { useDetailScope } from '../../ui/detail.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { textField } from '../../ui/fields.ts';
import { FromBefore } from '../../ui/from-before.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Card, Empty, Facts, PageHead } from '../../ui/page.tsx';
import { type Field, given, SideForm, useNewForm } from '../../ui/side-form.tsx';
import { tagFacts } from '../../ui/tags.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';
import { texts } from '../../ui/values.ts';
import { WhereItLives } from '../../ui/where-it-lives.tsx';
import { kindOf } from './list.tsx';

const SUBNETS = '/cloud/v1/subnets/{project_id}/{region_id}';

type Subnet = Schemas['Subnet'];

const FIELDS: readonly Field[] = [
  textField('name', 'Name'),
  textField('cidr', 'CIDR', { about: 'For example 10.0.1.0/24', placeholder: '10.0.1.0/24' }),
  { key: 'gateway_ip', label: 'Gateway', about: 'Default: the first address', kind: 'text' },
  { key: 'enable_dhcp', label: 'Assign addresses by DHCP', kind: 'switch', initial: true },
];

/** One network: its subnets, and who uses which of their addresses. */
export function NetworkDetail() {
  const { scope, id, back } = useDetailScope('networks', 'Networks');
  const path = pathParams(scope);
  const form = useNewForm();
  const network = useQuery(
    api.queryOptions('get', '/cloud/v1/networks/{project_id}/{region_id}/{network_id}', {
      params: { path: { ...path, network_id: id } },
    }),
  );
  const subnets = useQuery(api.queryOptions('get', SUBNETS, { params: { path, query: { network_id: id } } }));
  const ports = useQuery(
    api.queryOptions('get', '/cloud/v1/ports/{project_id}/{region_id}', {
      params: { path, query: { network_ids: [id] } },
    }),
  );
  if (network.error && !network.data) {
    return (
      <>
        <PageHead title="Network" back={back} />
        <FaultNote fault={faultOf(network.error)} retry={() => void network.refetch()} others={back} />
      </>
    );
  }
  if (!network.data)
    return (
      <>
        <PageHead title="Network" back={back} />
        <Skeleton height={240} />
      </>
    );
  const { data } = network;
  const needed = needsOf('post', SUBNETS, scope.project);
  return (
    <>
      <PageHead
        back={back}
        title={
          <>
            {data.name} <Copy value={data.id} />
          </>
        }
      >
        {!data.external && (
          <LinkButton to={form.to} call={needed}>
            Create subnet
          </LinkButton>
        )}
      </PageHead>
      <FromBefore query={network} />
      <Facts
        facts={[
          { label: 'Kind', value: kindOf(data) },
          { label: 'MTU', value: data.mtu },
          { label: 'Subnets', value: data.subnets.length },
          { label: 'Created', value: <Time at={data.created_at} /> },
          ...tagFacts(data.tags),
        ]}
      />
      <WhereItLives id={data.id} />
      <Unread title="Subnets" query={subnets} />
      {subnets.data && <Unread title="Who uses which address" query={ports} />}
      {subnets.data?.results.length === 0 && (
        <Card>
          <Empty
            title="No subnets"
            about="A subnet is a range of addresses. Without one nothing can stand on this network."
            action={data.external ? undefined : { label: 'Create subnet', to: form.to, call: needed }}
          />
        </Card>
      )}
      {subnets.data?.results.map((subnet) => (
        <SubnetCard key={subnet.id} subnet={subnet} ports={ports.data?.results ?? []} />
      ))}
      <SideForm
        title="Create subnet"
        fields={FIELDS}
        body={(values) => ({
          network_id: id,
          ...texts(values, 'name', 'cidr'),
          ...given(texts(values, 'gateway_ip')),
          enable_dhcp: values.enable_dhcp === true,
        })}
        request={(body) => apiCall('post', SUBNETS, { params: { path }, body })}
        terraform={(body) => terraform('gcore_subnet', body.name, scope, { ...body })}
        opened={form.opened}
        close={form.close}
      />
    </>
  );
}

interface UnreadProps {
  readonly title: string;
  readonly query: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
}

/** Which of its parts could not be read, and why. */
function Unread({ title, query: { data, error, refetch } }: UnreadProps) {
  if (!error || data !== undefined) return null;
  return (
    <Card title={title}>
      <FaultNote fault={faultOf(error)} retry={() => void refetch()} />
    </Card>
  );
}

function SubnetCard({
  subnet,
  ports,
}: {
  readonly subnet: Subnet;
  readonly ports: readonly Schemas['Port'][];
}) {
  const path = pathParams(useScope());
  const remove = useDelete<Subnet>({
    kind: 'subnet',
    consequences: () => 'A subnet whose addresses are in use stays.',
    call: ({ id }) =>
      apiCall('delete', `${SUBNETS}/{subnet_id}`, { params: { path: { ...path, subnet_id: id } } }),
  });
  return (
    <Card
      title={
        <>
          {subnet.name} <code>{subnet.cidr}</code>
        </>
      }
      aside={<ActionButton variant="subtle" color="red" action={remove.action} row={subnet} />}
    >
      <SubnetStrip subnet={subnet} ports={ports} />
      {remove.dialog}
    </Card>
  );
}

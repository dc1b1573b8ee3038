import { Button, Group, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { balancerPorts } from '../../api/choices.ts';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { FieldInput, useChoices } from '../../ui/field-input.tsx';
import { choiceFilter } from '../../ui/filters.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf } from '../../ui/options.ts';
import { rowCall } from '../../ui/row-call.ts';
import { Tags } from '../../ui/tags.tsx';
import { terraform } from '../../ui/terraform.ts';
import { Time } from '../../ui/time.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import { useWhereItLives } from '../../ui/where-it-lives.tsx';

const FLOATING_IPS = '/cloud/v1/floatingips/{project_id}/{region_id}';

type FloatingIp = Schemas['FloatingIpDetailed'];

const targetOf = ({ loadbalancer, instance, fixed_ip_address, port_id }: FloatingIp) =>
  loadbalancer?.name ?? instance?.name ?? (port_id ? (fixed_ip_address ?? port_id) : undefined);

const COLUMNS: readonly Column<FloatingIp>[] = [
  {
    label: 'Address',
    cell: ({ floating_ip_address }) => <CopyText value={floating_ip_address ?? ''} label="Copy address" />,
  },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status ?? 'NEW'} /> },
  { label: 'Leads to', cell: (ip) => targetOf(ip) ?? 'nothing' },
  { label: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, wideOnly: true },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** Addresses of the outside. */
export function FloatingIps() {
  const { scope, path, params } = useListOfScope(({ status }) => ({ status: status as 'ACTIVE' }));
  const [attaching, setAttaching] = useState<FloatingIp>();
  const result = useQuery(api.queryOptions('get', FLOATING_IPS, { params }));
  const lives = useWhereItLives<FloatingIp>();
  const point = ({ id }: FloatingIp, port_id: string | null) =>
    apiCall('patch', '/cloud/v2/floatingips/{project_id}/{region_id}/{floating_ip_id}', {
      params: { path: { ...path, floating_ip_id: id } },
      body: { port_id },
    });
  return (
    <>
      <NounPage<FloatingIp, object>
        title="Floating IPs"
        about="An external address that leads to what you point it at, and can be pointed elsewhere at any time."
        filters={[
          choiceFilter('status', 'Status', optionsOf({ ACTIVE: 'Active', DOWN: 'Down', ERROR: 'Failed' })),
        ]}
        result={result}
        columns={COLUMNS}
        actions={[
          { label: 'Point at…', run: setAttaching, call: (ip) => point(ip, null), disabled: whyBusy },
          rowCall({
            label: 'Detach',
            title: (ip) => `Detach ${ip.floating_ip_address}`,
            call: (ip) => point(ip, null),
            disabled: (ip) => whyBusy(ip) ?? (ip.port_id ? undefined : 'It leads to nothing'),
          }),
        ]}
        verbs={lives}
        remove={{
          kind: 'floating IP',
          consequences: (ip) =>
            ip.port_id
              ? `${targetOf(ip)} can no longer be reached at this address, and the address is released.`
              : 'The address is released.',
          askName: ({ port_id }) => port_id !== null,
          disabled: whyBusy,
          call: ({ id }) =>
            apiCall('delete', `${FLOATING_IPS}/{floating_ip_id}`, {
              params: { path: { ...path, floating_ip_id: id } },
            }),
        }}
        empty={{
          title: 'No floating IPs',
          about:
            'Create one, and point it at a load balancer. Its address stays yours when that is replaced.',
        }}
        form={{
          title: 'Create floating IP',
          about:
            'The region assigns a free external address. It leads nowhere until you point it at something.',
          fields: [],
          body: () => ({}),
          request: (body) => apiCall('post', FLOATING_IPS, { params: { path }, body }),
          terraform: () => terraform('gcore_floatingip', 'address', scope, {}),
        }}
      />
      {attaching && (
        <PointAt
          ip={attaching}
          close={() => setAttaching(undefined)}
          choose={(port, name) =>
            void startTask(point(attaching, port), {
              title: `Point ${attaching.floating_ip_address} at ${name}`,
            })
          }
        />
      )}
    </>
  );
}

interface PointAtProps {
  readonly ip: FloatingIp;
  readonly close: () => void;
  readonly choose: (port: string, name: string) => void;
}

/** A choice among what has a port that an address can lead to. */
function PointAt({ ip, close, choose }: PointAtProps) {
  const [port, setPort] = useState('');
  const choices = balancerPorts(useScope());
  // Asked once: the field has the same question.
  const { data: known } = useChoices({ choices });
  return (
    <Modal opened onClose={close} title={`Point ${ip.floating_ip_address} at`}>
      <FieldInput
        field={{
          key: 'port',
          label: 'Load balancer',
          kind: 'choice',
          required: true,
          placeholder: 'Choose one',
          choices,
        }}
        first
        value={port}
        change={(next) => setPort(String(next))}
        error={undefined}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <VerbButton
          why={port ? undefined : 'Choose where it leads first'}
          onClick={() => {
            if (port) choose(port, known.find(({ value }) => value === port)?.label ?? 'it');
            close();
          }}
        >
          Point at it
        </VerbButton>
      </Group>
    </Modal>
  );
}

import { Button, Group, Modal, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type ApiFault, client, faultOf, type Schemas } from '../../api/client.ts';
import { pathParams, usePlace } from '../../app/place.ts';
import { CodePanel } from '../../ui/code-panel.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { followTask } from '../../ui/follow-task.tsx';

interface MemberFormProps {
  readonly pool: Schemas['Pool'];
  readonly close: () => void;
}

/** Another server in a pool. */
export function MemberForm({ pool, close }: MemberFormProps) {
  const place = usePlace();
  const [address, setAddress] = useState('');
  const [port, setPort] = useState<number | string>(80);
  const [weight, setWeight] = useState<number | string>(1);
  const [backup, setBackup] = useState(false);
  const [fault, setFault] = useState<ApiFault>();
  const body = {
    address,
    protocol_port: Number(port),
    weight: Number(weight),
    ...(backup ? { backup } : {}),
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data, error } = await client.POST(
      '/cloud/v1/loadbalancers/{project_id}/{region_id}/pools/{pool_id}/members',
      {
        params: { path: { ...pathParams(place), pool_id: pool.id } },
        body,
      },
    );
    if (!data) return setFault(faultOf(error));
    const [task] = data.tasks;
    if (task) followTask(task, { title: `Add ${address}:${port} to ${pool.name}` });
    close();
  };
  const errorOf = (field: string) => fault?.fields[field]?.join(', ');
  return (
    <Modal
      opened
      onClose={close}
      title={`Add a member to ${pool.name}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          {fault && <FaultNote fault={fault} />}
          <Group grow align="flex-start">
            <TextInput
              label="Address"
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
              error={errorOf('address')}
              required
              data-autofocus
            />
            <NumberInput
              label="Port"
              min={1}
              max={65_535}
              value={port}
              onChange={setPort}
              error={errorOf('protocol_port')}
              required
            />
            <NumberInput
              label="Weight"
              min={0}
              max={256}
              value={weight}
              onChange={setWeight}
              error={errorOf('weight')}
            />
          </Group>
          <Switch
            label="Backup: gets connections only when all others are down"
            checked={backup}
            onChange={(event) => setBackup(event.currentTarget.checked)}
          />
          <CodePanel
            call={{
              method: 'POST',
              path: `/cloud/v1/loadbalancers/${place.project}/${place.region}/pools/${pool.id}/members`,
              body,
            }}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit">Add member</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

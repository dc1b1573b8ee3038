import { Button, Group, Modal, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { pathParams, usePlace } from '../../app/place.ts';
import { startTask } from '../../ui/follow-task.tsx';
import type { LoadBalancer } from './list.tsx';

interface ResizeProps {
  readonly lb: LoadBalancer;
  readonly opened: boolean;
  readonly close: () => void;
}

/** Another size; traffic goes on meanwhile. */
export function ResizeLoadBalancer({ lb, opened, close }: ResizeProps) {
  const path = pathParams(usePlace());
  const [flavor, setFlavor] = useState(lb.flavor?.flavor_name ?? '');
  const flavors = useQuery({
    ...api.queryOptions('get', '/cloud/v1/lbflavors/{project_id}/{region_id}', { params: { path } }),
    enabled: opened,
  });
  const resize = () => {
    void startTask(
      client.POST('/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/resize', {
        params: { path: { ...path, load_balancer_id: lb.id } },
        body: { flavor },
      }),
      { title: `Resize ${lb.name}` },
    );
    close();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={`Resize ${lb.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Radio.Group
        label="Size"
        description="Traffic goes on while it changes."
        value={flavor}
        onChange={setFlavor}
      >
        <Stack gap={6} mt="xs">
          {(flavors.data?.results ?? []).map(({ flavor_name, vcpus, ram }) => (
            <Radio key={flavor_name} value={flavor_name} label={`${flavor_name}: ${vcpus} CPU, ${ram} MiB`} />
          ))}
        </Stack>
      </Radio.Group>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={!flavor || flavor === lb.flavor?.flavor_name} onClick={resize}>
          Resize
        </Button>
      </Group>
    </Modal>
  );
}

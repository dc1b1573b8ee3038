import { Button, Modal, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, every, faultOf, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { FaultNote } from '../../ui/fault.tsx';
import { Empty } from '../../ui/page.tsx';
import type { RowVerb } from '../../ui/row-form.tsx';

type Instance = Schemas['Instance'];

const CONSOLE = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}/get_console';

/** Leads to the console of an instance, or says why there is none. */
export function useConsole(
  scope: Scope,
  disabled: (instance: Instance) => string | undefined,
): RowVerb<Instance> {
  const [instance, setInstance] = useState<Instance>();
  return {
    action: {
      label: 'Open console…',
      run: setInstance,
      call: () => needsOf('get', CONSOLE, scope.project),
      disabled,
    },
    dialog: (
      <Modal
        opened={instance !== undefined}
        onClose={() => setInstance(undefined)}
        title={`Console of ${instance?.name ?? ''}`}
      >
        {instance && <Console scope={scope} id={instance.id} />}
      </Modal>
    ),
  };
}

function Console({ scope, id }: { readonly scope: Scope; readonly id: string }) {
  const query = useQuery({
    ...api.queryOptions('get', CONSOLE, { params: { path: { ...pathParams(scope), instance_id: id } } }),
    // Each answer may be an address that works once.
    ...every(false),
    staleTime: 0,
    retry: false,
  });
  if (query.error) {
    const fault = faultOf(query.error);
    // What was refused is not there; what was not answered may be.
    const isUnread = fault.failed || fault.againSeconds;
    if (isUnread) return <FaultNote fault={fault} retry={() => void query.refetch()} />;
    return <Empty title="There is no console" about={fault.message} />;
  }
  const address = query.data?.remote_console.url;
  if (!address) return <Skeleton height={120} />;
  return (
    <Button component="a" href={address} target="_blank" rel="noopener noreferrer" fullWidth>
      Open the console
    </Button>
  );
}

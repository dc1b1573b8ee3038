import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { meaningOf, StatusBadge } from './badge.tsx';
import { useScope } from './routing.tsx';

interface Stated {
  readonly id: string;
  readonly status: string;
}

/** Why something does not do its work, where what needs attention says so. Nothing is asked while it does. */
function useReason({ id, status }: Stated): string | undefined {
  const { project } = useScope();
  const { data } = useQuery({
    ...api.queryOptions('get', '/virga/v1/attention/{project_id}', {
      params: { path: { project_id: project } },
    }),
    enabled: meaningOf(status) === 'failed',
  });
  return data?.results.find((item) => item.id === id && item.severity === 'failed')?.reason;
}

/** The reason, on the page of what has failed. */
export function WhyFailed({ of }: { readonly of: Stated }) {
  const reason = useReason(of);
  if (meaningOf(of.status) !== 'failed' || reason === undefined) return null;
  return (
    <Alert color="red" variant="light" mb="md" role="status">
      {reason}.
    </Alert>
  );
}

/** The status in a list, which says the reason when it is pointed at. */
export function StatusWithReason({ of }: { readonly of: Stated }) {
  return <StatusBadge status={of.status} detail={useReason(of)} />;
}

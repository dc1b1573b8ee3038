import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useScope } from './routing.tsx';

interface NotServedProps {
  /** As searches name it: `object_storage`. */
  readonly kind: string;
  readonly name: string;
  /** Absent: names are unique in the account. */
  readonly region?: number;
}

/** Why something does not do its work, if it does not. The stream says when that changes. */
export function NotServed({ kind, name, region }: NotServedProps) {
  const { project } = useScope();
  const { data } = useQuery(
    api.queryOptions('get', '/virga/v1/attention/{project_id}', {
      params: { path: { project_id: project } },
    }),
  );
  const wrong = data?.results.find(
    (item) =>
      item.severity === 'failed' &&
      item.kind === kind &&
      item.name === name &&
      (region === undefined || item.region_id === region),
  );
  if (!wrong) return null;
  return (
    <Alert variant="light" color="red" title="It does not serve" mb="md" role="status">
      {wrong.reason}
    </Alert>
  );
}

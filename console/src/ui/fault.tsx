import { Alert, Button } from '@mantine/core';
import type { ApiFault } from '../api/client.ts';
import { Copy } from './copy.tsx';

/** What went wrong, what to do, and the id under which the server logged it. */
export function FaultNote({ fault, retry }: { readonly fault: ApiFault; readonly retry?: () => void }) {
  const fields = Object.entries(fault.fields);
  return (
    <Alert color="red" variant="light" title={fault.message} role="alert">
      {fields.length > 0 && (
        <ul style={{ margin: 0, paddingLeft: 18, color: 'var(--ink)' }}>
          {fields.map(([field, messages]) => (
            <li key={field}>
              <code>{field}</code> {messages.join(', ')}
            </li>
          ))}
        </ul>
      )}
      {fault.againSeconds !== undefined && (
        <div style={{ color: 'var(--ink)' }}>It is asked again by itself in {fault.againSeconds} s.</div>
      )}
      {fault.requestId && (
        <div style={{ fontSize: 12, color: 'var(--ink)' }}>
          Request <code>{fault.requestId}</code>{' '}
          <Copy value={fault.requestId} label="Copy the request's id" />
        </div>
      )}
      {retry && (
        <Button size="xs" variant="default" mt="xs" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

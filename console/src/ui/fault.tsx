import { Alert, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ApiFault } from '../api/client.ts';
import { Copy } from './copy.tsx';

interface FaultNoteProps {
  readonly fault: ApiFault;
  readonly retry?: () => void;
  /** Where others of its kind are, when it is not there itself. */
  readonly others?: { readonly to: string; readonly label: string };
}

/** What went wrong, what to do, and the id under which the server logged it. */
export function FaultNote({ fault, retry, others }: FaultNoteProps) {
  const gone = fault.missing ? others : undefined;
  // Of a single one the message says it already.
  const fields = Object.entries(fault.fields).filter(
    ([field, messages]) => fault.message !== `${field}: ${messages.join(', ')}`,
  );
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
      {gone && (
        <div style={{ color: 'var(--ink)' }}>
          It was deleted, or it belongs to another project or region: choose that above.
        </div>
      )}
      {fault.againSeconds !== undefined && (
        <div style={{ color: 'var(--ink)' }}>
          {/* What a form sends is sent by people alone. */}
          {retry
            ? `It is asked again by itself in ${fault.againSeconds} s.`
            : `Send it again in ${fault.againSeconds} s.`}
        </div>
      )}
      {fault.requestId && (
        <div style={{ fontSize: 12, color: 'var(--ink)' }}>
          Request <code>{fault.requestId}</code>{' '}
          <Copy value={fault.requestId} label="Copy the request's id" />
        </div>
      )}
      {gone && (
        <Button component={Link} to={gone.to} size="xs" variant="default" mt="xs">
          Go to {gone.label}
        </Button>
      )}
      {retry && !gone && (
        <Button size="xs" variant="default" mt="xs" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

import { Alert, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type ApiFault, faultOf, LOOK_EVERY_MS } from '../api/client.ts';
import { fieldName } from '../api/plain-words.ts';
import { Copy } from './copy.tsx';
import { Link } from './routing.tsx';

interface FaultNoteProps {
  readonly fault: ApiFault;
  readonly retry?: () => void;
  /** Where others of its kind are, when it is not there itself. */
  readonly others?: { readonly to: string; readonly label: string };
}

/** What came of a question to the API, and how it is asked again. */
export interface Requested {
  readonly data: unknown;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** Why something could not be read, in place of what it is; undefined when it was, be it before. */
export const unreadNote = ({ data, error, refetch }: Requested) =>
  error && data === undefined ? <FaultNote fault={faultOf(error)} retry={() => void refetch()} /> : undefined;

function titleOf({ message, againSeconds, unanswered }: ApiFault, isRead: boolean): string {
  // The bar above the page says what becomes of it. Some reads are sent like writes, and change nothing either.
  if (unanswered && isRead) return 'This could not be read: Virga does not answer';
  // When to ask again is said below it.
  return againSeconds === undefined ? message : message.replace(/; try again in \d+ s$/, '');
}

/** Counts the seconds until something can be asked again. */
function Countdown({ before, seconds }: { readonly before: string; readonly seconds: number }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    setLeft(seconds);
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return left > 0 ? `${before} in ${left} s.` : `${before} now.`;
}

const INK = { title: { color: 'var(--ink)' } };

/** What went wrong, what to do, and the id under which the server logged it. */
export function FaultNote({ fault, retry, others }: FaultNoteProps) {
  const gone = fault.missing ? others : undefined;
  // Of a single one the message says it already.
  const fields = Object.entries(fault.fields).filter(
    ([field, messages]) => fault.message !== `${fieldName(field)}: ${messages.join(', ')}`,
  );
  return (
    <Alert
      // Nothing is wrong with a page that the person's role does not open.
      {...(retry && fault.denied ? { color: 'gray', styles: INK } : { color: 'red' })}
      variant="light"
      title={titleOf(fault, retry !== undefined)}
      role="alert"
      tabIndex={-1}
    >
      {fields.length > 0 && (
        <ul style={{ margin: 0, paddingLeft: 18, color: 'var(--ink)' }}>
          {fields.map(([field, messages]) => (
            <li key={field}>
              <b>{fieldName(field)}</b> {messages.join(', ')}
            </li>
          ))}
        </ul>
      )}
      {gone && (
        <div style={{ color: 'var(--ink)' }}>
          It was deleted, or it belongs to another project or region: choose that above.
        </div>
      )}
      {retry && fault.denied && (
        <div style={{ color: 'var(--ink)' }}>An administrator of the account can change your role.</div>
      )}
      {fault.againSeconds !== undefined && (
        <div style={{ color: 'var(--ink)' }}>
          {/* What a form sends is sent by people alone. */}
          {retry ? (
            <Countdown
              before="It is asked again by itself"
              seconds={Math.min(fault.againSeconds, LOOK_EVERY_MS / 1000)}
            />
          ) : (
            <Countdown before="Send it again" seconds={fault.againSeconds} />
          )}
        </div>
      )}
      {fault.requestId && (
        <div style={{ fontSize: 12, color: 'var(--ink)' }}>
          Request{' '}
          <span style={{ whiteSpace: 'nowrap' }}>
            <code>{fault.requestId}</code> <Copy value={fault.requestId} label="Copy the request's id" />
          </span>
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

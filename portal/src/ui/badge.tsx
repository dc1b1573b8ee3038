import styles from './badge.module.css';
import { hint } from './hint.tsx';

export type Meaning = 'good' | 'busy' | 'degraded' | 'failed' | 'quiet';

/** What the API's words mean to a person, and how they are written. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ACTIVE: 'good',
  ONLINE: 'good',
  FINISHED: 'good',
  Provisioned: 'good',
  READY: 'good',
  UNHEALTHY: 'degraded',
  serving: 'good',
  copying_replica: 'busy',
  catching_up: 'busy',
  taking_over: 'busy',
  read_only: 'degraded',
  closed: 'failed',
  down: 'failed',
  failed: 'failed',
  Running: 'good',
  DONE: 'good',
  done: 'good',
  'in progress': 'busy',
  rejected: 'failed',
  active: 'good',
  available: 'good',
  'in-use': 'good',
  UP: 'good',
  SENT: 'good',
  DELIVERED: 'good',
  'Signed in': 'good',
  'This one': 'good',
  Refused: 'failed',
  'Set up here': 'good',
  Supported: 'good',
  Alive: 'good',
  Served: 'good',
  'Enough room': 'good',
  'Running low': 'degraded',
  Full: 'failed',
  Silent: 'failed',
  'Nobody works on it': 'failed',
  'Cannot be served': 'failed',
  FAILED: 'failed',
  WAITING: 'busy',
  Invited: 'busy',
  RUNNING: 'busy',
  NEW: 'busy',
  DEGRADED: 'degraded',
  Soon: 'degraded',
  UNREADY: 'failed',
  BUILDING: 'busy',
  REMOVING: 'busy',
  'No listeners': 'degraded',
  'Nobody may connect': 'degraded',
  DRAINING: 'degraded',
  SUSPENDED: 'quiet',
  paused: 'quiet',
  SHUTOFF: 'quiet',
  NO_MONITOR: 'quiet',
  DOWN: 'quiet',
  OFFLINE: 'failed',
  ERROR: 'failed',
  error: 'failed',
};

const WORDS: Readonly<Record<string, string>> = {
  NO_MONITOR: 'Not checked',
  Soon: 'Check it',
  PENDING_CREATE: 'Being created',
  PENDING_UPDATE: 'Being changed',
  PENDING_DELETE: 'Being deleted',
  NEW: 'Waiting',
  FINISHED: 'Done',
  ERROR: 'Failed',
  SHUTOFF: 'Stopped',
  done: 'Granted',
  'in progress': 'Waiting for an answer',
  rejected: 'Rejected',
  'in-use': 'In use',
  read_only: 'Read-only',
  UNREADY: 'Not ready',
};

export function meaningOf(status: string): Meaning {
  const known = MEANINGS[status];
  if (known) return known;
  if (status.startsWith('error_')) return 'failed';
  return /^(PENDING|REBOOT|RESIZ|VERIFY|BUILD|Provisioning|Deleting|creating|deleting|.*ing$)/i.test(status)
    ? 'busy'
    : 'quiet';
}

export function wordOf(status: string): string {
  const known = WORDS[status];
  if (known) return known;
  if (/[a-z]/.test(status.slice(1)) && status.includes(' ')) return status;
  const plain = status.replaceAll('_', ' ').toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Status in a shape, a word and a colour, so that none is needed alone. */
export function StatusBadge({
  status,
  detail,
}: {
  readonly status: string;
  readonly detail?: string | undefined;
}) {
  const meaning = meaningOf(status);
  return (
    <span className={styles.badge} data-meaning={meaning} {...(detail ? hint(detail) : {})}>
      <Shape meaning={meaning} />
      {wordOf(status)}
    </span>
  );
}

function Shape({ meaning }: { readonly meaning: Meaning }) {
  return (
    <svg viewBox="0 0 10 10" width="9" height="9" aria-hidden="true">
      {meaning === 'good' && <circle cx="5" cy="5" r="4" fill="currentColor" />}
      {meaning === 'busy' && (
        <circle
          className={styles.turning}
          cx="5"
          cy="5"
          r="3.6"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeDasharray="15 8"
        />
      )}
      {meaning === 'degraded' && <path d="M5 .8 9.6 9.2H.4Z" fill="currentColor" />}
      {meaning === 'failed' && <path d="M5 0 10 5 5 10 0 5Z" fill="currentColor" />}
      {meaning === 'quiet' && (
        <circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" strokeWidth="1.6" />
      )}
    </svg>
  );
}

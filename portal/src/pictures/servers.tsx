import styles from './servers.module.css';

export interface ServerTile {
  readonly name: string;
  readonly role: 'primary' | 'replica';
  readonly is_ready: boolean;
}

interface ServersProps {
  readonly servers: readonly ServerTile[];
  /** How changes come from the first to the second. */
  readonly replication: string | undefined;
}

const words = ({ role, is_ready: ready }: ServerTile) =>
  role === 'primary'
    ? ready
      ? 'Accepts connections'
      : 'Does not serve'
    : ready
      ? 'Could take over now'
      : 'Cannot take over yet';

/** The servers of a cluster, each at its own place, whichever of them is the primary. */
export function Servers({ servers, replication }: ServersProps) {
  const placed = [...servers].sort((a, b) => a.name.localeCompare(b.name));
  const forward = placed[0]?.role === 'primary';
  return (
    <ul className={styles.servers}>
      {placed.map((server, index) => (
        <li key={server.name} className={styles.item}>
          {index > 0 && (
            <span className={styles.way} data-ready={placed.every(({ is_ready: ready }) => ready)}>
              <span aria-hidden="true">{forward ? '→' : '←'}</span>
              {replication}
            </span>
          )}
          <div
            className={styles.server}
            data-role={server.role}
            data-ready={server.is_ready}
            data-server={server.name}
          >
            <strong>{server.role === 'primary' ? 'Primary' : 'Replica'}</strong>
            <span>Server {server.name.toUpperCase()}</span>
            <span>{words(server)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Where a machine is, and who else there is. */
export interface PatroniMachine {
  readonly name: string;
  readonly address: string;
  /** Addresses of the machines that have etcd. */
  readonly etcd: readonly string[];
  readonly home: string;
  readonly binaries: string;
  /** From where sessions may come. */
  readonly network: string;
  readonly password: string;
  /** Patroni's version: `3.0.2`. */
  readonly version: string;
}

/** Seconds: the least that Patroni allows for `ttl`. */
const TIMES = { ttl: 20, loop_wait: 5, retry_timeout: 5 } as const;

/** With the newer API of etcd, versions before this one let a primary that was cut off take back the lock that another
 *  one has meanwhile, and with it all writes since. With the older API they do not. */
const TAKES_NO_LOCK_BACK = [3, 0, 3];

/** Whether Patroni may use version 3 of etcd's API. */
export function mayUseEtcd3(version: string): boolean {
  const parts = version.split('.').map(Number);
  const at = TAKES_NO_LOCK_BACK.findIndex((part, index) => (parts[index] ?? 0) !== part);
  return at === -1 || (parts[at] ?? 0) > (TAKES_NO_LOCK_BACK[at] ?? 0);
}

/** Patroni's configuration, of which docs/scaling.md shows what matters. JSON is YAML. */
export const configurationOf = (machine: PatroniMachine): object => {
  const { name, address, password, network } = machine;
  return {
    scope: 'virga',
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    [mayUseEtcd3(machine.version) ? 'etcd3' : 'etcd']: { hosts: machine.etcd.map((each) => `${each}:2379`) },
    bootstrap: {
      dcs: {
        ttl: TIMES.ttl,
        loop_wait: TIMES.loop_wait,
        retry_timeout: TIMES.retry_timeout,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        failsafe_mode: true,
        primary_start_timeout: 0,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 200, wal_sender_timeout: '10s', wal_receiver_timeout: '10s' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${address}:5432`,
      connect_address: `${address}:5432`,
      data_dir: `${machine.home}/data`,
      bin_dir: machine.binaries,
      pg_hba: [
        'local all all trust',
        `host replication replicator ${network} scram-sha-256`,
        `host all all ${network} scram-sha-256`,
      ],
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
        rewind: { username: 'rewinder', password },
      },
      parameters: { unix_socket_directories: machine.home },
      use_unix_socket: true,
    },
  };
};

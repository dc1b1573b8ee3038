import { isIP } from 'node:net';
import { endpoint } from './config/addresses.ts';
import type { RenderedBackend } from './config/rendering.ts';

const HEADER_START = '# be_id';
/** Columns of `show servers state`, version 1. */
const COLUMN = { backend: 1, server: 3, address: 4, state: 5, admin: 6, userWeight: 7, weight: 8, port: 18 };
const DOWN = '0';

/** What a successor must know of its members: which are down. Without it a new process regards every
 *  member as alive until its first check.
 *
 *  Only that is handed on; weights and states of administration come from the configuration.
 *  @param dump answer of `show servers state` */
export function serverStateFile(dump: string, backends: readonly RenderedBackend[]): string {
  const known = new Map(
    backends.flatMap(({ name, servers }) =>
      servers
        .filter(({ checked, probed }) => checked || probed)
        .map((server) => [`${name}/${server.name}`, server] as const),
    ),
  );
  const lines = dump.split('\n');
  const header = lines.find((line) => line.startsWith(HEADER_START));
  if (!header) return EMPTY_SERVER_STATE;
  const kept = lines.flatMap((line) => {
    const fields = line.split(' ');
    const server = known.get(`${fields[COLUMN.backend]}/${fields[COLUMN.server]}`);
    if (!server || fields[COLUMN.state] !== DOWN) return [];
    const [address = '', port] = [fields[COLUMN.address], fields[COLUMN.port]];
    if (isIP(address) === 0 || server.address !== endpoint(address, Number(port))) return [];
    fields[COLUMN.admin] = '0';
    fields[COLUMN.userWeight] = `${server.weight}`;
    fields[COLUMN.weight] = `${server.weight}`;
    return [fields.join(' ')];
  });
  return ['1', header, ...kept, ''].join('\n');
}

export const EMPTY_SERVER_STATE = '1\n';

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import pg from 'pg';
import { currentInstances } from '../platform/database/embedded/index.ts';
import type { OwnPort } from '../providers/local/index.ts';
import type { Config } from './config.ts';
import { USUAL_PROBE_PORT } from './worker-probes.ts';

const BELIEVED_MS = 1_000;

/** Where this cloud's own programs listen: API and edge of this process, APIs of those that share its data
 *  directory, and the database.
 *  @returns what is known at the moment; a name that cannot be looked up is left out */
export async function ownPorts(
  config: Config,
  now: () => number = performance.now.bind(performance),
): Promise<() => readonly OwnPort[]> {
  const { edge } = config.video;
  const { probePort = USUAL_PROBE_PORT } = config;
  const lasting: readonly OwnPort[] = [
    { host: config.host, port: config.role === 'worker' ? probePort : config.port },
    ...(edge.enabled ? [{ host: edge.host, port: edge.port }] : []),
    ...(await databasePorts(config.databaseUrl)),
  ];
  let known = lasting;
  let since = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() - since > BELIEVED_MS) {
      since = now();
      known = [...lasting, ...announcedPorts(config.dataDir)];
    }
    return known;
  };
}

function announcedPorts(dataDir: string): OwnPort[] {
  return currentInstances(dataDir).flatMap(({ url }) => {
    const { hostname: host, port } = url ? new URL(url) : { hostname: '', port: '' };
    return port === '' ? [] : [{ host, port: Number(port) }];
  });
}

async function databasePorts(url: string | undefined): Promise<OwnPort[]> {
  if (url === undefined) return [];
  const { host, port } = new pg.Client({ connectionString: url });
  if (host.startsWith('/')) return [];
  return (await addressesOf(host)).map((each) => ({ host: each, port }));
}

async function addressesOf(host: string): Promise<string[]> {
  if (host === 'localhost' || isIP(host) !== 0) return [host];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

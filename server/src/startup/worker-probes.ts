import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../kernel/log.ts';
import { type Config, ConfigError } from './config.ts';

/** Where a worker answers probes unless set otherwise. */
export const USUAL_PROBE_PORT = 8081;

/** Lets a node without an API answer `/healthz`, `/readyz` and `/metrics`. Of several workers of one machine that were
 *  without a configured port, the first has the usual one; the others go without, and say so.
 *  @returns its address, or undefined when there is none
 *  @throws ConfigError when the port that was asked for is held by another program */
export async function serveProbes(
  probes: FastifyInstance,
  { host, probePort, tls }: Pick<Config, 'host' | 'probePort' | 'tls'>,
  log: Logger,
): Promise<string | undefined> {
  const requested = probePort ?? USUAL_PROBE_PORT;
  try {
    await probes.listen({ host, port: requested });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const held = `Port ${requested} of ${host} is held by another program`;
    if (probePort !== undefined) throw new ConfigError(`${held}: stop it, or set VIRGA_PROBE_PORT`);
    log.warn(`${held}: this worker has no probes and serves no metrics; set VIRGA_PROBE_PORT`);
    return undefined;
  }
  return urlOf(probes, tls !== undefined);
}

/** Where a server listens. */
export function urlOf(server: FastifyInstance, tls: boolean): string {
  const { address, family, port } = server.addresses()[0] as AddressInfo;
  return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

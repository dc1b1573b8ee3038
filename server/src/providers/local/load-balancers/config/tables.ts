import { createHash } from 'node:crypto';
import type { DesiredLoadBalancer } from '../../../../features/load-balancers/port.ts';
import { endpoint } from './addresses.ts';
import type { RenderEnvironment } from './rendering.ts';
import type { ConfigWriter } from './writer.ts';

const SECTION = 'own-tables';

/** The name under which an old process hands its tables to the new one at a reload. Whoever knows it
 *  could write into the tables, so it cannot be guessed from outside. */
export function peerName(desired: DesiredLoadBalancer, secret: string): string {
  return createHash('sha256').update(`${secret} peer ${desired.id}`).digest('hex').slice(0, 40);
}

/** A `peers` section with only this load balancer in it. Without one, a reload would forget which
 *  client belongs to which member.
 *  @returns the section's name */
export function writePeers(
  writer: ConfigWriter,
  desired: DesiredLoadBalancer,
  environment: RenderEnvironment,
): string {
  writer.section(`peers ${SECTION}`);
  const address = endpoint(desired.vipAddress, environment.peersPort);
  writer.line(`peer ${peerName(desired, environment.peerSecret)} ${address}`);
  return SECTION;
}

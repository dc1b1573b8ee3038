import type { LoadBalancerProvider, Usage } from '../../../features/load-balancers/port.ts';
import type { MemberNetworks } from '../addresses/member-networks.ts';
import type { LocalAddresses } from '../addresses/provider.ts';
import type { Engine, EngineHost } from '../host/engine.ts';
import type { Fence, Programs } from '../host/reconciler.ts';
import type { LogCollector } from './access-logs/collector.ts';

/** How to leave: `stop` ends all data planes (a graceful stop), `leave` lets them carry traffic on
 *  without a server, `forget` also deletes their files. */
export type CloseMode = Programs | 'forget';

export interface LocalLoadBalancersOptions extends Pick<EngineHost, 'dataDir'> {
  readonly log: EngineHost['log'] & { info(details: object, message: string): void };
  /** Names this server in logs. */
  readonly instanceId: string;
  /** Who gives load balancers their addresses. */
  readonly addresses: LocalAddresses;
  /** Where members and their checks may be. Absent: where the default lets them be. */
  readonly memberNetworks?: MemberNetworks;
  /** Says whether this process may change anything. Absent: nobody else could. */
  readonly fence?: Fence;
  /** The log collector of a region; absent: no region has one. */
  readonly collectorOf?: (regionId: number) => LogCollector | undefined;
}

export interface LocalLoadBalancers extends LoadBalancerProvider, Engine {
  patternFault(pattern: string): Promise<string | null>;
  memberFault(address: string, port: number): string | null;
  usage(ids: readonly string[]): Promise<ReadonlyMap<string, Usage>>;
  close(mode: CloseMode): Promise<void>;
  /** Whether one of them may send new requests to an IPv4 address. */
  sendsTo(address: string): boolean;
}

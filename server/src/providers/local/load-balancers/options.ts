import type { LoadBalancerProvider, Usage } from '../../../features/load-balancers/port.ts';
import type { MemberNetworks } from '../addresses/member-networks.ts';
import type { LocalAddresses } from '../addresses/provider.ts';
import type { Fence, Programs } from '../host/reconciler.ts';
import type { LogCollector } from './access-logs/collector.ts';

/** How to leave: `stop` ends all data planes (a graceful stop), `leave` lets them carry traffic on
 *  without a server, `forget` also deletes their files. */
export type CloseMode = Programs | 'forget';

export interface LocalLoadBalancersOptions {
  readonly dataDir: string;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
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

export interface LocalLoadBalancers extends LoadBalancerProvider {
  /** Those that load balancers have, virtual and floating ones. */
  addresses(): readonly string[];
  patternFault(pattern: string): Promise<string | null>;
  memberFault(address: string, port: number): string | null;
  usage(ids: readonly string[]): Promise<ReadonlyMap<string, Usage>>;
  /** Leaves the programs to another process, or ends them, and forgets all but what is on the disk. It may work
   *  again afterwards. */
  release(programs: Programs): Promise<void>;
  close(mode: CloseMode): Promise<void>;
}

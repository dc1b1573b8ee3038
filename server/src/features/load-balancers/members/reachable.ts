import { Faults } from '../../../kernel/faults.ts';
import type { LoadBalancerProvider } from '../port.ts';

/** The columns of a member that say where it is. */
interface Target {
  readonly address: string;
  readonly protocol_port: number;
  readonly monitor_address: string | null;
  readonly monitor_port: number | null;
}

/** Refuses members, and addresses of their checks, that the region's data plane never connects to.
 *  @param members rows, new ones among them
 *  @throws Invalid with the rule that each of them breaks */
export function refuseUnreachable(
  provider: LoadBalancerProvider | undefined,
  members: readonly object[],
): void {
  if (!provider?.memberFault) return;
  const faults = new Faults();
  const judge = (field: string, address: string, port: number) => {
    const fault = provider.memberFault?.(address, port) ?? null;
    if (fault !== null) faults.add(field, fault);
  };
  for (const {
    address,
    protocol_port: port,
    monitor_address,
    monitor_port,
  } of members as readonly Target[]) {
    judge('address', address, port);
    if (monitor_address !== null || monitor_port !== null) {
      judge(
        monitor_address === null ? 'monitor_port' : 'monitor_address',
        monitor_address ?? address,
        monitor_port ?? port,
      );
    }
  }
  faults.refuse();
}

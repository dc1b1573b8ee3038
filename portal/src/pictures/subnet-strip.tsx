import type { Schemas } from '../api/client.ts';
import { hint } from '../ui/hint.tsx';
import styles from './subnet-strip.module.css';

interface SubnetStripProps {
  readonly subnet: Schemas['Subnet'];
  readonly ports: readonly Schemas['Port'][];
}

/** The addresses of a subnet as a strip: each one that is used stands where it lies in the range. */
export function SubnetStrip({ subnet, ports }: SubnetStripProps) {
  const used = ports.flatMap((port) =>
    port.ip_assignments
      .filter(({ subnet_id }) => subnet_id === subnet.id)
      .map(({ ip_address }) => ({ address: ip_address, owner: ownerOf(port) })),
  );
  return (
    <div className={styles.body}>
      <div className={styles.strip}>
        {[...used, ...(subnet.gateway_ip ? [{ address: subnet.gateway_ip, owner: 'the gateway' }] : [])].map(
          ({ address, owner }) => (
            <span
              key={`${address} ${owner}`}
              className={styles.mark}
              data-gateway={owner === 'the gateway'}
              style={{ left: `${100 * positionOf(address, subnet.cidr)}%` }}
              {...hint(`${address}: ${owner}`)}
            />
          ),
        )}
      </div>
      <div className={styles.words}>
        <span>{inUse(subnet)}</span>
        <span>{subnet.gateway_ip ? `Gateway ${subnet.gateway_ip}` : 'No gateway'}</span>
        <span>{subnet.enable_dhcp ? 'DHCP' : 'No DHCP'}</span>
      </div>
    </div>
  );
}

/** `11 of 253 addresses in use`. Of a range that has more addresses than the API counts, only how many are used. */
function inUse({ total_ips, available_ips }: Schemas['Subnet']): string {
  const total = total_ips ?? 0;
  const used = total - (available_ips ?? 0);
  if (total >= Number.MAX_SAFE_INTEGER) return `${used.toLocaleString()} in use`;
  return `${used.toLocaleString()} of ${total.toLocaleString()} addresses in use`;
}

const ownerOf = ({ attached_to }: Schemas['Port']) =>
  attached_to?.resource_type
    ? `${attached_to.resource_type.replaceAll('_', ' ')} ${attached_to.resource_id}`
    : 'reserved';

/** Where an address lies in a range, 0 to 1. */
export function positionOf(address: string, cidr: string): number {
  const [base = '', bits = '0'] = cidr.split('/');
  const wide = base.includes(':') ? 128 : 32;
  const size = 2n ** BigInt(wide - Number(bits));
  const offset = numberOf(address) - numberOf(base);
  return Math.min(1, Math.max(0, Number((offset * 10_000n) / size) / 10_000));
}

function numberOf(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const first = head.split(':').filter(Boolean);
  const last = (tail ?? '').split(':').filter(Boolean);
  const groups =
    tail === undefined
      ? first
      : [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

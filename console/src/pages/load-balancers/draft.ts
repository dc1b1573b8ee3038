import type { Schemas } from '../../api/client.ts';
import type { Topology } from '../../pictures/topology-layout.ts';
import { quotedText } from '../../ui/terraform.ts';

export type Protocol = 'HTTP' | 'TCP' | 'UDP' | 'TERMINATED_HTTPS';

export interface DraftMember {
  readonly key: number;
  readonly address: string;
  readonly port: number | string;
}

export interface DraftListener {
  readonly key: number;
  readonly protocol: Protocol;
  readonly port: number | string;
  readonly secretId: string;
  readonly algorithm: Schemas['Pool']['lb_algorithm'];
  readonly members: readonly DraftMember[];
  readonly checkPath: string;
}

/** What the wizard has so far. */
export interface Draft {
  readonly name: string;
  readonly flavor: string;
  readonly listeners: readonly DraftListener[];
}

const POOL_PROTOCOL = { HTTP: 'HTTP', TERMINATED_HTTPS: 'HTTP', TCP: 'TCP', UDP: 'UDP' } as const;

const isHttp = (protocol: Protocol) => POOL_PROTOCOL[protocol] === 'HTTP';

/** The body of the call that creates it. */
export function bodyOf({ name, flavor, listeners }: Draft): Schemas['CreateLoadBalancer'] {
  return {
    name,
    ...(flavor ? { flavor } : {}),
    listeners: listeners.map((listener) => ({
      name: listenerName(listener),
      protocol: listener.protocol,
      protocol_port: Number(listener.port),
      ...(listener.protocol === 'TERMINATED_HTTPS' && listener.secretId
        ? { secret_id: listener.secretId }
        : {}),
      pools: [poolOf(listener)],
    })),
  };
}

const listenerName = ({ protocol, port }: DraftListener) =>
  `${protocol.replace('TERMINATED_', '').toLowerCase()}-${port}`;

function poolOf(
  listener: DraftListener,
): NonNullable<NonNullable<Schemas['CreateLoadBalancer']['listeners']>[number]['pools']>[number] {
  const { protocol, algorithm, members, checkPath } = listener;
  return {
    name: `${listenerName(listener)}-pool`,
    protocol: POOL_PROTOCOL[protocol],
    lb_algorithm: algorithm,
    members: members
      .filter(({ address }) => address !== '')
      .map(({ address, port }) => ({ address, protocol_port: Number(port) })),
    healthmonitor: isHttp(protocol)
      ? { type: 'HTTP', delay: 5, timeout: 3, max_retries: 2, url_path: checkPath || '/' }
      : { type: protocol === 'UDP' ? 'UDP-CONNECT' : 'TCP', delay: 5, timeout: 3, max_retries: 2 },
  };
}

/** The picture of what will be. */
export function draftTopology({ name, listeners }: Draft): Topology {
  const status = 'NO_MONITOR';
  const pool = (key: number) => `pool ${key}`;
  return {
    nodes: [
      { id: 'lb', column: 0, title: 'A new address', detail: name || 'without a name yet', status },
      ...listeners.flatMap((listener) => [
        {
          id: `listener ${listener.key}`,
          column: 1,
          title: `${listener.protocol.replace('TERMINATED_', '')} :${listener.port}`,
          detail: 'listener',
          status,
        },
        {
          id: pool(listener.key),
          column: 3,
          title: `${listenerName(listener)}-pool`,
          detail: listener.algorithm.replaceAll('_', ' ').toLowerCase(),
          status,
        },
        ...listener.members
          .filter(({ address }) => address !== '')
          .map(({ key, address, port }) => ({
            id: `member ${listener.key} ${key}`,
            column: 4,
            title: `${address}:${port}`,
            detail: 'member',
            status,
          })),
      ]),
    ],
    edges: listeners.flatMap(({ key, members }) => [
      { from: 'lb', to: `listener ${key}`, status, share: 0 },
      { from: `listener ${key}`, to: pool(key), status, share: 0 },
      ...members
        .filter(({ address }) => address !== '')
        .map((member) => ({ from: pool(key), to: `member ${key} ${member.key}`, status, share: 0 })),
    ]),
  };
}

/** The same for the infrastructure tool. */
export function terraformOf(draft: Draft, project: number, region: number): string {
  const { name, flavor, listeners } = draft;
  const place = `  project_id = ${project}\n  region_id  = ${region}\n`;
  const text = quotedText;
  const lines = [
    `resource "gcore_loadbalancerv2" "lb" {\n${place}  name       = ${text(name)}\n${flavor ? `  flavor     = ${text(flavor)}\n` : ''}}`,
  ];
  for (const [index, listener] of listeners.entries()) {
    const label = listenerName(listener).replaceAll('-', '_');
    lines.push(
      `resource "gcore_lblistener" "${label}" {\n${place}  name            = ${text(listenerName(listener))}\n  protocol        = ${text(listener.protocol)}\n  protocol_port   = ${listener.port}\n  loadbalancer_id = gcore_loadbalancerv2.lb.id\n}`,
      `resource "gcore_lbpool" "${label}" {\n${place}  name         = ${text(`${listenerName(listener)}-pool`)}\n  protocol     = ${text(POOL_PROTOCOL[listener.protocol])}\n  lb_algorithm = ${text(listener.algorithm)}\n  listener_id  = gcore_lblistener.${label}.id\n}`,
      ...listener.members
        .filter(({ address }) => address !== '')
        .map(
          (member) =>
            `resource "gcore_lbmember" "member_${index}_${member.key}" {\n${place}  pool_id       = gcore_lbpool.${label}.id\n  address       = ${text(member.address)}\n  protocol_port = ${member.port}\n}`,
        ),
    );
  }
  return lines.join('\n\n');
}

import type { DesiredLoadBalancer } from '../../../../features/load-balancers/port.ts';

/** What the configuration needs to know of this machine, beside what the user wants. */
export interface RenderEnvironment {
  /** An empty directory that HAProxy locks itself into; null where it may not. */
  readonly chroot: string | null;
  readonly socketPath: string;
  readonly serverStatePath: string;
  /** Where certificate files of this load balancer are. */
  readonly certificateDirectory: string;
  readonly cpuCount: number;
  /** Connections that the file descriptor limit of this machine allows one process. */
  readonly connectionCeiling: number;
}

/** A member as the running process knows it; all of it may change through the runtime socket. */
export interface RenderedServer {
  readonly name: string;
  readonly memberId: string;
  /** With HAProxy's family prefix and port, for example `ipv4@10.0.0.1:80`. */
  readonly address: string;
  readonly weight: number;
  readonly enabled: boolean;
  /** HAProxy checks it. */
  readonly checked: boolean;
  /** This server checks it and reports to HAProxy. */
  readonly probed: boolean;
  /** Further words of the server line, unquoted. */
  readonly options: readonly string[];
}

export interface RenderedBackend {
  readonly name: string;
  readonly poolId: string;
  readonly enabled: boolean;
  /** It keeps a table of which client belongs to which member. */
  readonly remembers: boolean;
  /** Set when the pool pins clients by a cookie that is computed from the member's address. */
  readonly dynamicCookieKey: string | null;
  readonly servers: readonly RenderedServer[];
}

export interface RenderedFile {
  readonly path: string;
  readonly content: string;
  /** Whether a running HAProxy can load a new content without a reload. */
  readonly swappable: boolean;
}

export interface RenderedBind {
  readonly listenerId: string;
  readonly address: string;
  readonly port: number;
  readonly transport: 'tcp' | 'udp';
}

export interface Rendering {
  readonly config: string;
  /** The configuration without its server lines: equal skeletons differ in members at most. */
  readonly skeleton: string;
  /** What each line of `config` is for, in the user's words. */
  readonly origins: readonly (string | undefined)[];
  readonly backends: readonly RenderedBackend[];
  readonly files: readonly RenderedFile[];
  readonly binds: readonly RenderedBind[];
  /** Whether there is anything that needs a process. */
  readonly needed: boolean;
}

export type ProxyMode = 'http' | 'tcp';

export const listenerName = (id: string): string => `listener-${id}`;
export const backendName = (poolId: string, mode: ProxyMode): string => `pool-${poolId}-${mode}`;
export const serverName = (memberId: string): string => `member-${memberId}`;

/** Addresses that a load balancer answers on, each once. */
export function addressesOf(desired: DesiredLoadBalancer): readonly string[] {
  return [...new Set([desired.vipAddress, ...desired.extraAddresses])];
}

/** A connection costs HAProxy about 33 KiB of buffers; the rest of the memory is for TLS and tables. */
const CONNECTIONS_PER_MIB = 4;

/** Connections that a flavor allows at one time. */
export function flavorConnections({ ramMiB }: DesiredLoadBalancer['flavor']): number {
  return Math.max(100, ramMiB * CONNECTIONS_PER_MIB);
}

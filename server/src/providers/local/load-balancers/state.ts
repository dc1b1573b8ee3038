import { createHash } from 'node:crypto';
import type { RenderedBackend, RenderedBind, Rendering } from './config/rendering.ts';
import type { ProcessIdentity } from './processes.ts';

/** What is known of a load balancer's data plane across restarts of the server. No secrets: contents
 *  of files are here as digests only. */
export interface InstanceState {
  readonly id: string;
  readonly version: number;
  /** A change has begun and not ended: what the process serves is unknown, only a reload makes it sure. */
  readonly changing: boolean;
  readonly process: ProcessIdentity | null;
  /** Predecessors that finish what they have begun. */
  readonly draining: readonly ProcessIdentity[];
  readonly skeleton: string;
  readonly backends: readonly RenderedBackend[];
  /** Path → digest of certificate and other files. */
  readonly files: Readonly<Record<string, string>>;
  readonly binds: readonly RenderedBind[];
  readonly addresses: readonly string[];
  readonly needed: boolean;
  readonly peersPort: number;
  readonly listenerIds: readonly string[];
  /** Members of pools that are off, or that nothing checks or carries here. */
  readonly idleMembers: readonly string[];
  readonly logging: boolean;
  /** Key of the last failover that was carried out; the same one is not done twice. */
  readonly failover: string | null;
}

export function emptyState(id: string): InstanceState {
  return {
    id,
    version: 0,
    changing: false,
    process: null,
    draining: [],
    skeleton: '',
    backends: [],
    files: {},
    binds: [],
    addresses: [],
    needed: false,
    peersPort: 0,
    listenerIds: [],
    idleMembers: [],
    logging: false,
    failover: null,
  };
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function fileDigests(rendering: Rendering): Record<string, string> {
  return Object.fromEntries(rendering.files.map(({ path, content }) => [path, digest(content)]));
}

import type { Need, Resource } from '../../kernel/capacity.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Caller } from '../auth/caller.ts';
import type { Db } from '../database/db.ts';
import type { Cipher } from '../secrets/cipher.ts';
import type { AtOnce } from '../tasks/at-once.ts';

/** What a service gets to work with. */
export interface RequestContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  /** For what must not be in the database in clear. */
  readonly cipher: Cipher;
  readonly log: Logger;
  readonly requestId: string;
  /** The span of the request, as `traceparent` names it; undefined: nothing is traced. */
  readonly trace?: string | undefined;
  readonly caller: Caller;
  /** This node's worker, which may claim a task that the request starts; undefined: it has none. */
  readonly atOnce?: AtOnce | undefined;
  /** Address of the client: what the socket says, or a proxy that is trusted. */
  readonly remoteAddress: string;
  /** Whether the caller reaches this server over TLS. */
  readonly secure: boolean;
  /** Where people reach the portal, for links in mails; undefined: nobody said. */
  readonly publicUrl: string | undefined;
  /** What the caller calls itself. */
  readonly userAgent: string | null;
  /** Aborts within a second when the caller's credential has ended. For requests that last: what they would still
   *  answer is no longer the caller's to see. Watched from the first call on. */
  revocation(): AbortSignal;
}

/** What tasks are started with: a request, or something that does by itself what somebody has asked for once. */
export type TaskContext = Pick<
  RequestContext,
  'db' | 'clock' | 'ids' | 'requestId' | 'trace' | 'caller' | 'atOnce' | 'userAgent'
> & {
  /** null: nobody asks now. */
  readonly remoteAddress: string | null;
};

export interface ClientContext extends RequestContext {
  readonly clientId: number;
}

export interface ProjectContext extends RequestContext {
  readonly project: ProjectScope;
}

export interface RegionContext extends ProjectContext {
  readonly region: RegionScope;
  readonly scope: Scope;
  readonly quota: QuotaScope;
  /** Of what the request takes, which addresses the region may run out of. */
  readonly scarce?: readonly Resource[];
}

/** What tasks in a region are started with. */
export type RegionTaskContext = TaskContext & Pick<RegionContext, 'project' | 'region' | 'scope' | 'quota'>;

/** Where a resource must be: what a path or body names is looked for nowhere else. */
export interface Scope {
  readonly projectId: number;
  readonly regionId: number;
}

/** What a path or body names, in its scope. */
export interface Scoped extends Scope {
  readonly id: string;
}

/** Whose quota counts what is made there. */
export interface QuotaScope {
  readonly clientId: number;
  readonly regionId: number;
}

/** What a context gets of a project and a region. */
export const inRegion = (project: ProjectScope, region: RegionScope) => ({
  project,
  region,
  scope: { projectId: project.id, regionId: region.id },
  quota: { clientId: project.clientId, regionId: region.id },
});

export interface ProjectScope {
  readonly id: number;
  readonly clientId: number;
}

export interface RegionScope {
  readonly id: number;
  readonly name: string;
  readonly state: string;
}

/** Finds what a path names; the features that own clients, projects and regions provide it. */
export interface ScopeResolver {
  /** The project, if it exists, is not deleted and belongs to the client (any, for an operator). */
  project(id: number, clientId: number | 'any'): Promise<ProjectScope | undefined>;
  region(id: number): Promise<RegionScope | undefined>;
  regions(): Promise<readonly RegionScope[]>;
  /** Whether a region has a port or a capability, by its name, and can serve it at present. */
  offers(regionId: number, need: string): Promise<boolean>;
  client(id: number): Promise<boolean>;
  /** @returns addresses that the region may run out of
   *  @throws Conflict when a region has too little free of something */
  requireRoom(region: RegionScope, needs: readonly Need[]): Promise<readonly Resource[]>;
}

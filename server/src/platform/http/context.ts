import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Caller } from '../auth/caller.ts';
import type { Db } from '../database/db.ts';

/** What a service gets to work with. */
export interface RequestContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly requestId: string;
  readonly caller: Caller;
  /** Address of the peer, as the socket says. */
  readonly remoteAddress: string;
}

export interface ClientContext extends RequestContext {
  readonly clientId: number;
}

export interface ProjectContext extends RequestContext {
  readonly project: ProjectScope;
}

export interface RegionContext extends ProjectContext {
  readonly region: RegionScope;
}

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
  client(id: number): Promise<boolean>;
}

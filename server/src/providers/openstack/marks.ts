import type { NounKind } from '../../features/networking/networks/port.ts';

/** Every object that is made in a cloud carries the id that it has here from its first call on: who lost the answer to
 *  a creation finds by it what was made. */

const PREFIX = 'virga:';

/** For `tags`, or for `description` where a creation takes no tags. */
export const markOf = (id: string): string => `${PREFIX}${id}`;

/** The id of what carries one of these texts; null: nobody here made it. */
export function markedId({ tags = [], description = '' }: Marked): string | null {
  const mark = [...tags, description ?? ''].find((text) => text.startsWith(PREFIX));
  return mark?.slice(PREFIX.length) ?? null;
}

export interface Marked {
  readonly tags?: readonly string[];
  readonly description?: string | null;
}

/** What lives where, so that it need not be searched for. It is kept outside of the cloud. */
export interface EngineObjects {
  find(kind: ObjectKind, id: string): Promise<EngineObject | undefined>;
  /** All of a kind, by their ids here. */
  all(kind: ObjectKind): Promise<ReadonlyMap<string, EngineObject>>;
  save(kind: ObjectKind, id: string, object: EngineObject): Promise<void>;
  /** Only these: what a task saves meanwhile stays. */
  saveCounters(kind: ObjectKind, id: string, counters: Readonly<Record<string, KeptCounters>>): Promise<void>;
  /** Forgets it, and what belongs to it. */
  forget(id: string): Promise<void>;
}

export type ObjectKind = 'load_balancer' | NounKind | StoredKind;
/** What is on Nova, Cinder and Glance. */
export type StoredKind = 'instance' | 'volume' | 'snapshot' | 'image';

export interface EngineObject {
  readonly engineId: string;
  readonly facts: EngineFacts;
}

/** What is known of it beside its id. */
export interface EngineFacts {
  /** The version that was last made true. */
  readonly version?: number;
  /** Stands for all that was last made true. */
  readonly digest?: string;
  /** The cloud's count and time of changes: others mean that somebody has changed it. */
  readonly seen?: string;
  /** When the cloud last changed it, in the cloud's words: another time means that somebody has changed it. */
  readonly updatedAt?: string;
  /** The last failover that was asked for. */
  readonly failover?: string;
  /** How often an instance was started anew. */
  readonly boots?: number;
  /** What was asked for last, and by which operation: it is asked for once. */
  readonly asked?: string;
  /** The operation that has tried last to bring an instance back from ERROR. */
  readonly revived?: string;
  /** The cloud's ids of the groups that an instance was in. */
  readonly groups?: readonly string[];
  /** The cloud's id of the port of its virtual address. */
  readonly portId?: string;
  /** Addresses of the floating IPs that lead to it. */
  readonly floating?: readonly string[];
  /** Whether the key manager may keep anything for it. */
  readonly secrets?: boolean;
  /** The key manager's ids of those that it uses. */
  readonly secretIds?: readonly string[];
  /** The cloud's ids of its listeners. */
  readonly listeners?: readonly string[];
  /** The ids here of its listeners and members, by the cloud's. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly counters?: Readonly<Record<string, KeptCounters>>;
}

/** What a listener has counted: in all objects that it has been before, and in the present one. */
export interface KeptCounters {
  readonly engineId: string;
  readonly before: readonly number[];
  readonly now: readonly number[];
}

/** One of several things that carry the same mark, the oldest; the others are surplus. */
export function adopt<Found extends { readonly created_at?: string | null; readonly id: string }>(
  found: readonly Found[],
): { readonly adopted: Found | undefined; readonly surplus: readonly Found[] } {
  const sorted = [...found].sort(
    (one, other) =>
      (one.created_at ?? '').localeCompare(other.created_at ?? '') || one.id.localeCompare(other.id),
  );
  return { adopted: sorted[0], surplus: sorted.slice(1) };
}

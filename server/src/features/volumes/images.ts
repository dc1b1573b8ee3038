import type { Queryable } from '../../platform/database/db.ts';
import type { Scope } from './model.ts';

/** Where volumes get images from. Images are made from volumes, so that they implement this and are handed in. */
export interface ImageSource {
  /** Those of these images that the project may use, by id; they are not deleted before the transaction ends.
   *  @throws Locked naming the task that works on one of them */
  find(tx: Queryable, ids: readonly string[], scope: Scope): Promise<ReadonlyMap<string, SourceImage>>;
}

export interface SourceImage {
  readonly id: string;
  readonly name: string;
  /** Only of one that is `active` something can be made. */
  readonly status: string;
  /** Why it is in an error, where its region says so. */
  readonly status_reason: string | null;
  /** GiB that a volume of it needs at least. */
  readonly minDisk: number;
  /** MiB that an instance of it needs at least. */
  readonly minRam: number;
  /** What volumes of it say about it. */
  readonly metadata: Readonly<Record<string, string>>;
}

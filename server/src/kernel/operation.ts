/** What a provider gets to know about the task that calls it: a stable key and when the work was accepted,
 *  so that a provider can be repeated, and a simulated one can time itself without remembering anything. */
export interface Operation {
  /** Task id; the same for every repetition of the same work. */
  readonly key: string;
  /** Task type, for example `create_loadbalancer`. */
  readonly type: string;
  /** The subject's name as the user chose it; seeds simulated jitter and faults. */
  readonly name: string;
  /** The subject's name, where `name` says more, such as which attempt it is. */
  readonly subject?: string;
  readonly acceptedAt: Date;
}

/** A provider's answer to "make it so": done, or ask again later. */
export type Progress =
  | { readonly ready: true }
  | { readonly ready: false; readonly retryInMs: number; readonly percent?: number; readonly step?: string };

export const READY: Progress = { ready: true };

/** Requests and body bytes of one video. */
export interface VideoUsage {
  readonly video: string;
  readonly requests: number;
  readonly bytes: number;
}

type Counts = Map<string, { requests: number; bytes: number }>;

/** Counts what was delivered, video by video. */
export class UsageCounter {
  /** Since the last `drain`, without what is fresh. */
  #counts: Counts = new Map();
  /** Since the last `fresh`. */
  #fresh: Counts = new Map();

  add(video: string, bytes: number): void {
    addTo(this.#fresh, video, 1, bytes);
  }

  /** Everything since the last call of this or the other two. */
  fresh(): VideoUsage[] {
    const fresh = listed(this.#fresh);
    for (const { video, requests, bytes } of fresh) addTo(this.#counts, video, requests, bytes);
    this.#fresh = new Map();
    return fresh;
  }

  /** Everything since the last `drain`; counting goes on. */
  counted(): VideoUsage[] {
    this.fresh();
    return listed(this.#counts);
  }

  /** Everything since the last `drain`; counting begins anew. */
  drain(): VideoUsage[] {
    const all = this.counted();
    this.#counts = new Map();
    return all;
  }
}

/** One entry for each video. */
export function summed(usage: readonly VideoUsage[]): VideoUsage[] {
  const counts: Counts = new Map();
  for (const { video, requests, bytes } of usage) addTo(counts, video, requests, bytes);
  return listed(counts);
}

function addTo(counts: Counts, video: string, requests: number, bytes: number): void {
  const count = counts.get(video);
  if (count) {
    count.requests += requests;
    count.bytes += bytes;
  } else counts.set(video, { requests, bytes });
}

const listed = (counts: Counts): VideoUsage[] => [...counts].map(([video, count]) => ({ video, ...count }));

/** Requests and body bytes of one video. */
export interface VideoUsage {
  readonly video: string;
  readonly requests: number;
  readonly bytes: number;
}

/** Counts what was delivered, video by video, since the last look. */
export class UsageCounter {
  #counts = new Map<string, { requests: number; bytes: number }>();

  add(video: string, bytes: number): void {
    const count = this.#counts.get(video);
    if (count) {
      count.requests += 1;
      count.bytes += bytes;
    } else this.#counts.set(video, { requests: 1, bytes });
  }

  /** Everything since the last call; counting begins anew. */
  drain(): VideoUsage[] {
    const counts = this.#counts;
    this.#counts = new Map();
    return [...counts].map(([video, { requests, bytes }]) => ({ video, requests, bytes }));
  }
}

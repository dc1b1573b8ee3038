import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BucketReport, StorageReport } from '../../../features/object-storage/port.ts';
import { readJson, writeFileAtomically } from '../../../kernel/files.ts';
import { readTraffic, shorten, type Traffic } from './traffic.ts';
import { type Level, walk } from './walk.ts';

/** What a storage uses: requests and bytes from the gateway's log, objects and space from a walk. A bucket is walked
 *  soon after a request concerned it, and all are from time to time. A report is on the disk before it is sent, and is
 *  sent again as it is until it was counted: nothing is lost or counted twice over any crash. */

/** All buckets are walked this often. */
const WALK_ALL_MS = 45_000;
/** A report comes no more often than this. */
const REPORT_EVERY_MS = 2_000;
/** Of the time, walking may take one part of so many. */
const WALK_SHARE = 10;

interface Written extends Omit<StorageReport, 'at'> {
  readonly at: string;
  /** Where the next look at the log begins. */
  readonly end: number;
}

interface Position {
  readonly end: number;
  /** Counts reports. */
  readonly serial: number;
}

/** What of a storage's server has to be known. */
export interface Measured {
  readonly paths: Readonly<Record<'home' | 'data' | 'traffic' | 'report', string>>;
  readonly notes: { readonly creator: string } | null;
}

export interface UsageKind {
  /** Adds up whole lines of what its gateway writes. */
  trafficOf(text: string): Traffic;
  /** Whether a folder or file of its data is its own, and nothing of its user. */
  isOwn(name: string): boolean;
}

export class Usage {
  readonly #server: Measured;
  readonly #kind: UsageKind;
  readonly #levels = new Map<string, Level>();
  #walkedAll = Number.NEGATIVE_INFINITY;
  #nextAt = 0;

  constructor(server: Measured, kind: UsageKind) {
    this.#server = server;
    this.#kind = kind;
  }

  get #positionFile(): string {
    return join(this.#server.paths.home, 'position.json');
  }

  /** @param now milliseconds that never go back
   *  @param at the time of day
   *  @returns undefined when there is nothing new, or it is too early */
  async report(names: readonly string[], now: number, at: Date): Promise<StorageReport | undefined> {
    const waiting = readJson<Written>(this.#server.paths.report);
    if (waiting) return { id: waiting.id, at: new Date(waiting.at), buckets: waiting.buckets };
    if (now < this.#nextAt) return undefined;
    const position = readJson<Position>(this.#positionFile) ?? { end: 0, serial: 0 };
    const { traffic, end } = readTraffic(this.#server.paths.traffic, position.end, this.#kind.trafficOf);
    const all = now - this.#walkedAll > WALK_ALL_MS;
    const began = performance.now();
    const changed = await this.#walk(
      all ? names : [...traffic.keys()].filter((name) => names.includes(name)),
    );
    const elapsedMs = performance.now() - began;
    this.#nextAt = now + Math.max(REPORT_EVERY_MS, elapsedMs * WALK_SHARE);
    if (all) this.#walkedAll = now;
    const gone = [...this.#levels.keys()].filter((name) => !names.includes(name));
    const buckets = this.#buckets(names, traffic, new Set(all ? names : changed), gone);
    for (const name of gone) this.#levels.delete(name);
    if (buckets.length === 0) return undefined;
    const written = this.#write({ at, buckets, end }, position.serial + 1);
    return { id: written.id, at, buckets };
  }

  /** The report was counted. */
  acknowledge(id: string): void {
    const { report, traffic } = this.#server.paths;
    const written = readJson<Written>(report);
    if (written?.id !== id) return;
    const serial = Number(id.split('/').at(-1));
    const end = shorten(traffic, written.end);
    writeFileAtomically(this.#positionFile, JSON.stringify({ end, serial }));
    rmSync(report);
  }

  async #walk(names: readonly string[]): Promise<string[]> {
    for (const name of names)
      this.#levels.set(name, await walk(join(this.#server.paths.data, name), this.#kind.isOwn));
    return [...names];
  }

  #buckets(
    names: readonly string[],
    traffic: Traffic,
    walked: ReadonlySet<string>,
    gone: readonly string[],
  ): BucketReport[] {
    const reported = new Set([
      ...walked,
      ...gone,
      ...[...traffic.keys()].filter((name) => names.includes(name)),
    ]);
    const none = { requestsIn: 0, requestsOut: 0, trafficIn: 0, trafficOut: 0 };
    return [...reported].sort().map((name) => {
      const level = names.includes(name) ? this.#levels.get(name) : undefined;
      return { name, ...(level ?? { bytes: 0, files: 0 }), ...(traffic.get(name) ?? none) };
    });
  }

  #write(report: { at: Date; buckets: readonly BucketReport[]; end: number }, serial: number): Written {
    const { creator } = this.#server.notes ?? {};
    const { at, buckets, end } = report;
    const written = { id: `${creator}/${serial}`, at: at.toISOString(), buckets, end };
    writeFileAtomically(this.#server.paths.report, JSON.stringify(written));
    return written;
  }
}

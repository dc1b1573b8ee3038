import type { DesiredLoadBalancer } from '../../../../features/load-balancers/port.ts';
import { makePrivateDirectory } from '../../host/files.ts';
import type { Paths } from '../paths.ts';
import { collectorName, type LogCollector } from './collector.ts';
import type { LogSource } from './rfc5424.ts';
import { Shipper, type ShipperLog } from './shipper.ts';
import { LogTail } from './tail.ts';

/** How long the end of a load balancer or of the server waits for a collector. */
const LAST_WORDS_MS = 2_000;

interface Carried {
  readonly shipper: Shipper;
  readonly collector: string;
  readonly tail: LogTail;
}

export interface LogShippingOptions {
  /** The collector of a region, if it has one. */
  collectorOf(regionId: number): LogCollector | undefined;
  pathsOf(id: string): Paths;
  readonly log: ShipperLog;
}

/** Sends access logs to the collectors of the regions that they are destined for. */
export class LogShipping {
  readonly #options: LogShippingOptions;
  readonly #shippers = new Map<string, Shipper>();
  readonly #carried = new Map<string, Carried>();

  constructor(options: LogShippingOptions) {
    this.#options = options;
  }

  /** Sends the log of this load balancer where it shall go from now on; what has not been sent yet goes there, too.
   *  Call it before the load balancer serves, so that no line comes too early. */
  async follow({ id, vipAddress, accessLog }: DesiredLoadBalancer): Promise<void> {
    const collector = accessLog ? this.#options.collectorOf(accessLog.destinationRegionId) : undefined;
    if (!accessLog || !collector) return this.leave(id);
    const source = {
      topic: accessLog.topic,
      loadBalancerId: id,
      loadBalancerName: accessLog.loadBalancerName,
      address: vipAddress,
    };
    const name = collectorName(collector);
    const known = this.#carried.get(id);
    if (known && known.collector !== name) await known.shipper.leave(id, 0);
    this.#carry(id, known?.tail ?? this.#tail(id), source, collector);
  }

  /** Sends what is there, if it can be, and nothing more. */
  async leave(id: string): Promise<void> {
    const known = this.#carried.get(id);
    if (!known) return;
    this.#carried.delete(id);
    await known.shipper.leave(id, LAST_WORDS_MS);
    this.#closeIdle();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shippers.values()].map((shipper) => shipper.flush(LAST_WORDS_MS)));
    for (const shipper of this.#shippers.values()) shipper.close();
    this.#shippers.clear();
    this.#carried.clear();
  }

  #carry(id: string, tail: LogTail, source: LogSource, collector: LogCollector): void {
    const name = collectorName(collector);
    const shipper = this.#shippers.get(name) ?? new Shipper(collector, this.#options.log);
    this.#shippers.set(name, shipper);
    this.#carried.set(id, { shipper, collector: name, tail });
    shipper.carry(id, tail, source);
    this.#closeIdle();
  }

  #tail(id: string): LogTail {
    const { directory, accessLog, logPosition } = this.#options.pathsOf(id);
    makePrivateDirectory(directory);
    return new LogTail(accessLog, logPosition);
  }

  #closeIdle(): void {
    for (const [name, shipper] of this.#shippers) {
      if (!shipper.isIdle) continue;
      shipper.close();
      this.#shippers.delete(name);
    }
  }
}

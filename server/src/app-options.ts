import type { Engines } from './engines/index.ts';
import type { TaskReadOptions } from './features/tasks/index.ts';
import type { VideoTokenSettings } from './features/video-tokens/index.ts';
import type { AllowedNetworks } from './features/webhooks/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { Ids } from './kernel/ids.ts';
import type { IpRanges } from './kernel/ip.ts';
import type { Logger } from './kernel/log.ts';
import type { LogOutput } from './kernel/log-output.ts';
import type { Db } from './platform/database/db.ts';
import type { CorsOrigins } from './platform/http/cors.ts';
import type { SlotLimits } from './platform/http/slots.ts';
import type { Patience } from './platform/http/slow-clients.ts';
import type { TlsFiles } from './platform/http/tls.ts';
import type { Kept } from './platform/months.ts';
import type { ClockWatch } from './platform/nodes/clock-watch.ts';
import type { NodeRole } from './platform/nodes/store.ts';
import type { NodeIdentity } from './platform/owners/owned-region.ts';
import type { Prices } from './platform/prices/prices.ts';
import type { Cipher } from './platform/secrets/cipher.ts';
import type { Tracing } from './platform/tracing/tracing.ts';
import type { RegionProviders } from './regions/region-providers.ts';

/** What a node is made of: its database, its providers and its settings. */
export interface AppOptions {
  readonly db: Db;
  readonly clock: Clock;
  /** What is known of this machine's clock. Absent: the database has the same one. */
  readonly clockWatch?: Pick<ClockWatch, 'offMs' | 'isFarOff' | 'note'>;
  readonly ids: Ids;
  readonly log: Logger;
  /** Where the log is written; absent: elsewhere. */
  readonly logOutput?: Pick<LogOutput, 'dropped'>;
  readonly providers: RegionProviders;
  /** The programs of this machine that providers need. */
  readonly engines: Pick<Engines, 'list'>;
  readonly cipher: Cipher;
  readonly rateLimit: number;
  readonly corsOrigins?: CorsOrigins;
  /** Default: PATIENCE. */
  readonly patience?: Patience;
  /** Streams of tasks that may be open. */
  readonly streams?: SlotLimits;
  readonly taskReads?: TaskReadOptions;
  readonly trustedProxies?: IpRanges | undefined;
  readonly publicUrl?: string | undefined;
  readonly accessLog?: boolean;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  readonly mail: MailOptions;
  readonly isReady: () => boolean;
  readonly node: NodeIdentity;
  /** Default: all. */
  readonly role?: NodeRole;
  readonly checkResponses?: boolean;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Refuse fields and parameters that are not known, unless a request says otherwise. */
  readonly strict?: boolean;
  /** Whether people without a second factor must add one before anything else. */
  readonly requireSecondFactor?: boolean;
  /** The folder of the built portal; absent or not built: `/` leads to the reference. */
  readonly portal?: string;
  /** Where the built guide is. */
  readonly guide?: string | undefined;
  /** How long what has ended is kept. Default: a year. */
  readonly kept?: Kept;
  /** Networks off the internet in which subscribers to user actions may be. Absent: none. */
  readonly webhookNetworks?: AllowedNetworks;
  /** Absent: nothing has a price. */
  readonly prices?: Prices;
  /** Absent: video tokens are not issued. */
  readonly video?: VideoTokenSettings;
}

export interface MailOptions {
  /** Where mail goes; undefined: it stays in the outbox. */
  readonly smtpUrl: string | undefined;
  readonly from: string;
}

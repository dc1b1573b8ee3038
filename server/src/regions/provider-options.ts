import type { Engines } from '../engines/index.ts';
import type { SimulationSignals } from '../features/kubernetes/port.ts';
import type { StrikesOf } from '../features/simulation/port.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Db } from '../platform/database/db.ts';
import type { Leases } from '../platform/leases.ts';
import type { Cipher } from '../platform/secrets/cipher.ts';
import type { LogCollector, MemberNetworks } from '../providers/local/index.ts';

/** What providers are made with. */
export interface ProviderOptions {
  /** Simulated durations are multiplied by this. */
  readonly timeScale: number;
  readonly seed: string;
  /** Where real programs keep their files. */
  readonly dataDir: string;
  readonly log: Logger;
  /** The nodes' common one. Programs of this machine have the machine's. */
  readonly clock: Clock;
  /** The programs of this machine that providers need. */
  readonly engines: Pick<Engines, 'isReady' | 'programOf' | 'faultOf' | 'install' | 'state'>;
  /** What operators say about simulated nodes. */
  readonly signals: SimulationSignals;
  /** What the faults of simulated regions do to their work. */
  readonly strikesOf: StrikesOf;
  readonly collectorOf: (regionId: number) => LogCollector | undefined;
  /** Where engines of this machine may connect to. */
  readonly memberNetworks: MemberNetworks;
  /** The origin of a registry that nodes of Kubernetes ask first for images; undefined: none. */
  readonly imageMirror: string | undefined;
  /** Opens the credentials of clouds. */
  readonly cipher: Cipher;
  /** Where it is noted what lives where in them. */
  readonly db: Db;
  /** Says which node looks at a region that any node may work on. */
  readonly leases: Pick<Leases, 'hold'>;
}

import path from 'node:path';
import type { Engines } from './engines/index.ts';
import type { SimulationSignals } from './features/kubernetes/port.ts';
import type { StrikesOf } from './features/simulation/port.ts';
import { systemClock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import { postgresqlPrograms } from './postgresql-programs.ts';
import {
  createLocalLoadBalancers,
  createLocalObjectStorage,
  createLocalPostgresql,
  createLocalSftpStorage,
  createOwnedDataPlane,
  LocalAddresses,
  type LocalLoadBalancers,
  type LocalObjectStorage,
  type LocalPostgresql,
  type LocalSftpStorage,
  type LogCollector,
  localNetworks,
  type MemberNetworks,
  OwnerFence,
} from './providers/local/index.ts';
import { createSimulated } from './providers/simulated/index.ts';
import type { ProviderFactory } from './region-providers.ts';

export interface ProviderOptions {
  /** Simulated durations are multiplied by this. */
  readonly timeScale: number;
  readonly seed: string;
  /** Where real programs keep their files. */
  readonly dataDir: string;
  readonly log: Logger;
  /** The programs of this machine that providers need. */
  readonly engines: Pick<Engines, 'isReady' | 'programOf' | 'faultOf' | 'install'>;
  /** What operators say about simulated nodes. */
  readonly signals: SimulationSignals;
  /** What the faults of simulated regions do to their work. */
  readonly strikesOf: StrikesOf;
  readonly collectorOf: (regionId: number) => LogCollector | undefined;
  /** Where engines of this machine may connect to. */
  readonly memberNetworks: MemberNetworks;
}

/** A program of its own, bundled beside the server's. */
const SFTP_SERVER = path.join(
  import.meta.dirname,
  ...['..', 'dist', 'providers', 'local', 'sftp-storage', 'serve.js'],
);

/** The providers that a region may name. */
export function providerFactories({
  seed,
  timeScale,
  dataDir,
  log,
  signals,
  strikesOf,
  collectorOf,
  memberNetworks,
  engines,
}: ProviderOptions): Readonly<Record<string, ProviderFactory>> {
  const clock = systemClock();
  const programs = postgresqlPrograms({ dataDir, engines, log });
  return {
    local: ({ id, slug }) => {
      const folderIn = (directory: string) => path.join(directory, 'regions', String(id));
      const fence = new OwnerFence(folderIn(dataDir));
      const addresses = new LocalAddresses({
        dataDir: folderIn(dataDir),
        log,
        fence,
        // What is down is not free.
        inUse: () =>
          [loadBalancers, postgresql, objectStorage, sftpStorage].flatMap((each) => each.addresses()),
      });
      const loadBalancers: LocalLoadBalancers = createLocalLoadBalancers({
        dataDir: folderIn(dataDir),
        addresses,
        log,
        instanceId: slug,
        fence,
        collectorOf,
        memberNetworks,
      });
      const postgresql: LocalPostgresql = createLocalPostgresql({
        dataDir: folderIn(dataDir),
        log,
        fence,
        programs,
        date: () => clock.now(),
        allocateAddress: (inUse) => addresses.allocateAddress(inUse),
      });
      const objectStorage: LocalObjectStorage = createLocalObjectStorage({
        dataDir: folderIn(dataDir),
        log,
        fence,
        engine: { program: () => engines.programOf('s3'), fault: () => engines.faultOf('s3') },
        allocateAddress: (inUse) => addresses.allocateAddress(inUse),
        now: () => clock.now(),
      });
      const sftpStorage: LocalSftpStorage = createLocalSftpStorage({
        dataDir: folderIn(dataDir),
        script: SFTP_SERVER,
        log,
        fence,
        allocateAddress: (inUse) => addresses.allocateAddress(inUse),
        now: () => clock.now(),
      });
      return {
        addresses,
        loadBalancers,
        postgresql,
        objectStorage,
        sftpStorage,
        owner: createOwnedDataPlane(
          addresses,
          loadBalancers,
          [postgresql, objectStorage, sftpStorage],
          fence,
          folderIn,
        ),
        networks: localNetworks,
        capabilities: {
          // Asked anew each time: an engine may be installed while this runs.
          get dbaas() {
            return programs.versions().length > 0 && engines.isReady('postgresql-18');
          },
        },
        close: async (mode) => {
          await Promise.all(
            [loadBalancers, postgresql, objectStorage, sftpStorage].map((each) => each.close(mode)),
          );
        },
      };
    },
    simulated: ({ id, settings }) => ({
      ...createSimulated({
        seed,
        timeScale,
        faults: settings.faults ?? {},
        clock,
        signals,
        strikeOn: (operation) => strikesOf(id, operation),
      }),
      capabilities: { kvm: true, k8s: true, dbaas: true },
    }),
  };
}

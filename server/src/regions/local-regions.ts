import { existsSync } from 'node:fs';
import path from 'node:path';
import { INSTALLATION } from '../installation.ts';
import type { ExternalService } from '../kernel/capacity.ts';
import { systemClock } from '../kernel/clock.ts';
import { separationOfHost } from '../kernel/isolation.ts';
import {
  createLocalKubernetes,
  createLocalLoadBalancers,
  createLocalObjectStorage,
  createLocalPostgresql,
  createLocalSftpStorage,
  createOwnedDataPlane,
  type EngineHost,
  ExternalAddresses,
  engineRoot,
  LocalAddresses,
  type LocalKubernetes,
  type LocalLoadBalancers,
  type LocalObjectStorage,
  type LocalPostgresql,
  type LocalSftpStorage,
  localCapacity,
  localNetworks,
  OwnerFence,
} from '../providers/local/index.ts';
import { kubernetesPrograms } from './kubernetes-programs.ts';
import { postgresqlPrograms } from './postgresql-programs.ts';
import type { ProviderOptions } from './provider-options.ts';
import type { ProviderFactory } from './region-providers.ts';

/** A program of its own, bundled beside the server's. */
const SFTP_SERVER = path.join(INSTALLATION, 'server/dist/providers/local/sftp-storage/serve.js');

/** Regions whose programs run on this machine. */
export function localRegions({
  dataDir,
  log,
  collectorOf,
  memberNetworks,
  imageMirror,
  engines,
}: ProviderOptions): ProviderFactory {
  const clock = systemClock();
  const programs = postgresqlPrograms({ dataDir, engines, log });
  let hasWarned = false;
  return ({ id, slug, settings }) => {
    if (!hasWarned && process.getuid?.() !== 0) log.warn(separationOfHost());
    hasWarned = true;
    const folderIn = (directory: string) => path.join(directory, 'regions', String(id));
    const fence = new OwnerFence(folderIn(dataDir));
    const external = new ExternalAddresses(settings.addresses ?? [], log);
    const addresses = new LocalAddresses({
      external,
      dataDir: folderIn(dataDir),
      log,
      fence,
      // What is down is not free.
      inUse: () => running.flatMap((each) => each.addresses()),
    });
    const host: EngineHost = {
      dataDir: folderIn(dataDir),
      log,
      fence,
      addresses,
      allocateAddress: (inUse) => addresses.allocateHost(inUse, 'machine'),
      now: () => clock.now(),
    };
    const services = settings.external_services ?? [];
    const hostOf = (service: ExternalService): EngineHost => ({
      ...host,
      allocateAddress: (inUse) =>
        addresses.allocateHost(inUse, services.includes(service) ? 'others' : 'machine'),
    });
    const loadBalancers: LocalLoadBalancers = createLocalLoadBalancers({
      ...host,
      addresses,
      log,
      instanceId: slug,
      collectorOf,
      memberNetworks,
    });
    const postgresql: LocalPostgresql = createLocalPostgresql({ ...hostOf('postgresql'), programs });
    const objectStorage: LocalObjectStorage = createLocalObjectStorage({
      ...hostOf('object_storage'),
      isReachable: services.includes('object_storage'),
      engine: { program: () => engines.programOf('s3'), fault: () => engines.faultOf('s3') },
    });
    const sftpStorage: LocalSftpStorage = createLocalSftpStorage({
      ...hostOf('sftp_storage'),
      script: SFTP_SERVER,
    });
    const kubernetes: LocalKubernetes = createLocalKubernetes({
      ...host,
      programs: kubernetesPrograms(engines),
      images: path.join(dataDir, 'images'),
      imageMirror,
      isServed: (address) => loadBalancers.sendsTo(address),
    });
    const running = [loadBalancers, postgresql, objectStorage, sftpStorage, kubernetes];
    return {
      addresses,
      loadBalancers,
      postgresql,
      objectStorage,
      sftpStorage,
      kubernetes,
      owner: createOwnedDataPlane({
        addresses,
        engines: running,
        fence,
        fault: () => loadBalancers.unavailable(),
        folderIn,
      }),
      networks: localNetworks,
      capacity: localCapacity({
        folders: () => [
          dataDir,
          ...running
            .map(({ folder }) => engineRoot(path.join(folderIn(dataDir), folder)))
            .filter((each) => existsSync(each)),
        ],
        settings: settings.capacity ?? {},
        addresses: (version, inUse) =>
          external.room(version, [...inUse, ...running.flatMap((each) => each.addresses())]),
        kubernetesNetworks: () => kubernetes.networks(),
      }),
      capabilities: {
        // Asked anew each time: an engine may be installed while this runs.
        get k8s() {
          return kubernetes.versions().length > 0;
        },
        get dbaas() {
          return programs.versions().length > 0 && engines.isReady('postgresql-18');
        },
      },
      close: async (mode) => {
        await Promise.all(running.map((each) => each.close(mode)));
      },
    };
  };
}

import { type Engines, KUBERNETES_ENGINES } from '../engines/index.ts';
import type { KubernetesPrograms } from '../providers/local/index.ts';

const PREFIX = 'kubernetes-';
const versionOf = (engine: string) => `v${engine.slice(PREFIX.length)}`;
const engineOf = (version: string) => `${PREFIX}${version.slice(1)}`;

/** The Kubernetes programs of this machine. They are asked for anew each time: one may be built while this runs. */
export function kubernetesPrograms(engines: Pick<Engines, 'isReady' | 'programOf'>): KubernetesPrograms {
  const isKnown = (version: string) => KUBERNETES_ENGINES.includes(engineOf(version));
  return {
    versions: () => KUBERNETES_ENGINES.filter((name) => engines.isReady(name)).map(versionOf),
    programOf: (version) => (isKnown(version) ? engines.programOf(engineOf(version)) : undefined),
    fault: (version) =>
      isKnown(version)
        ? `Kubernetes ${version} is not on this machine: npm run engines -- install ${engineOf(version)}`
        : `Kubernetes ${version} cannot be had in local regions`,
    noneFault: () => 'Kubernetes is not on this machine: npm run engines -- install kubernetes',
    runsPods: () => engines.isReady('containerd'),
    names: () => engines.programOf('coredns'),
  };
}

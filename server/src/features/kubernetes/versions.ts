import { catalogue } from '../catalogue/index.ts';
import type { KubernetesProvider } from './port.ts';

/** Kubernetes versions: what can be created, and what may become what. */

/** Newest patch last. @param provider of a region that has versions of its own; absent: those of the catalogue */
export const versionsOffered = (provider?: Pick<KubernetesProvider, 'versions'>): readonly string[] =>
  provider?.versions?.() ?? catalogue().kubernetes_versions;

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

function parse(text: string): Version {
  const [, major, minor, patch] = /^v(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (patch === undefined) throw new Error(`${text} is not a version`);
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** One minor up at a time, to any of its patches; any newer patch; one patch down. */
export function mayBecome(from: string, to: string): boolean {
  const a = parse(from);
  const b = parse(to);
  if (a.major !== b.major) return false;
  if (b.minor === a.minor) return b.patch > a.patch || b.patch === a.patch - 1;
  return b.minor === a.minor + 1;
}

/** The versions that a cluster may be brought to. `running` are those of its control plane and nodes: they
 *  are one, or two after an upgrade that failed half-way; then all of them must be able to get there. */
export function upgradeVersions(
  running: readonly string[],
  table: readonly string[] = versionsOffered(),
): string[] {
  const distinct = [...new Set(running)];
  return table.filter(
    (to) =>
      distinct.some((from) => from !== to) && distinct.every((from) => from === to || mayBecome(from, to)),
  );
}

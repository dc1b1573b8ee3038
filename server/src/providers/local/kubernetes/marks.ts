/** Labels and taints that nodes have from their pool. Pure. */

/** On each node: which labels and taints are those of its pool, so that they can be taken away. */
const ANNOTATION = 'virga.local/pool-marks';

/** Of pools whose nodes only pretend to run pods, although this machine could run them. */
const PODS = 'virga.local/pods';
export const pretends = (labels: Readonly<Record<string, string>> | undefined): boolean =>
  labels?.[PODS] === 'pretend';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** A node of Kubernetes, as far as its marks are concerned. */
export interface MarkedNode {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly taints?: readonly Taint[] };
}

/** @property taints key to `value:Effect`, or to the effect alone */
export interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: Readonly<Record<string, string>>;
}

/** @param text `value:Effect`, or the effect alone */
export function taintOf(key: string, text: string): Required<Taint> {
  const colon = text.indexOf(':');
  return { key, value: text.slice(0, Math.max(0, colon)), effect: text.slice(colon + 1) };
}

/** What has to be changed of a node whose pool has these marks by now, as a merge patch; what others have put on the node
 *  stays. @returns undefined when it is as it should be */
export function marksPatch({ metadata, spec }: MarkedNode, marks: Marks): object | undefined {
  const had = keysIn(metadata.annotations?.[ANNOTATION]);
  const note = JSON.stringify({ labels: Object.keys(marks.labels), taints: Object.keys(marks.taints) });
  const labels = labelChanges(metadata.labels ?? {}, marks.labels, had.labels);
  const taints = taintsAfter(spec.taints ?? [], marks.taints, had.taints);
  const isNoted = metadata.annotations?.[ANNOTATION] === note;
  if (isNoted && Object.keys(labels).length === 0 && taints === undefined) return undefined;
  const { resourceVersion } = metadata;
  return {
    metadata: { resourceVersion, labels, annotations: { [ANNOTATION]: note } },
    spec: taints === undefined ? undefined : { taints },
  };
}

function labelChanges(
  now: Readonly<Record<string, string>>,
  desired: Readonly<Record<string, string>>,
  had: readonly string[],
): Record<string, string | null> {
  const changed = Object.entries(desired).filter(([key, value]) => now[key] !== value);
  const gone = had.filter((key) => now[key] !== undefined && desired[key] === undefined);
  return Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]);
}

/** @returns undefined when they are these already */
function taintsAfter(
  now: readonly Taint[],
  texts: Readonly<Record<string, string>>,
  had: readonly string[],
): readonly Taint[] | undefined {
  const desired = Object.entries(texts).map(([key, text]) => taintOf(key, text));
  const isOurs = ({ key }: Taint) => had.includes(key) || texts[key] !== undefined;
  const missing = desired.filter((each) => !now.some((taint) => isSame(taint, each)));
  const surplus = now.filter((taint) => isOurs(taint) && !desired.some((each) => isSame(taint, each)));
  if (missing.length === 0 && surplus.length === 0) return undefined;
  return [...now.filter((taint) => !surplus.includes(taint)), ...missing];
}

const isSame = (one: Taint, other: Taint): boolean =>
  one.key === other.key && one.effect === other.effect && (one.value ?? '') === (other.value ?? '');

interface Keys {
  readonly labels: readonly string[];
  readonly taints: readonly string[];
}

/** Nobody but Virga should write it, but everybody who may change nodes can. */
function keysIn(text: string | undefined): Keys {
  try {
    const { labels, taints } = JSON.parse(text ?? '{}');
    const list = (value: unknown) =>
      Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
    return { labels: list(labels), taints: list(taints) };
  } catch {
    return { labels: [], taints: [] };
  }
}

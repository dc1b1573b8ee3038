import type {
  ClusterService,
  ClusterServices,
  ServiceNode,
  ServiceState,
} from '../../../features/kubernetes/port.ts';
import { ask } from './api.ts';
import { pretends } from './marks.ts';
import type { Paths } from './paths.ts';

/** Services of a cluster that need a load balancer, as its API server has them. */

/** The finalizer that every controller of load balancers uses: whoever deletes the service waits for it. */
const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
/** A label that keeps a node out of load balancers. */
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

interface Service {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly namespace: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly type?: string;
    readonly loadBalancerClass?: string;
    readonly loadBalancerSourceRanges?: readonly string[];
    readonly sessionAffinity?: string;
    readonly externalTrafficPolicy?: string;
    readonly healthCheckNodePort?: number;
    readonly ports?: readonly {
      readonly protocol: string;
      readonly port: number;
      readonly nodePort?: number;
    }[];
  };
  readonly status: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

interface Node {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly unschedulable?: boolean };
  readonly status: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** @returns undefined when the API server does not answer */
export async function servicesOf(paths: Paths, address: string): Promise<ClusterServices | undefined> {
  try {
    const services = await ask(paths, address, { path: '/api/v1/services' });
    if (services.status !== 200) return undefined;
    const concerned = (services.body.items as readonly Service[]).map(serviceOf).filter(isConcerned);
    if (concerned.length === 0) return { services: [], nodes: [] };
    const nodes = await ask(paths, address, { path: '/api/v1/nodes' });
    if (nodes.status !== 200) return undefined;
    return { services: concerned, nodes: (nodes.body.items as readonly Node[]).flatMap(nodeOf) };
  } catch {
    return undefined;
  }
}

const isConcerned = ({ needsLoadBalancer, isHeld }: ClusterService): boolean => needsLoadBalancer || isHeld;

function serviceOf({ metadata, spec, status }: Service): ClusterService {
  const isLocal = spec.externalTrafficPolicy === 'Local';
  return {
    id: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    needsLoadBalancer:
      spec.type === 'LoadBalancer' &&
      spec.loadBalancerClass === undefined &&
      metadata.deletionTimestamp === undefined,
    isHeld: metadata.finalizers?.includes(FINALIZER) === true,
    address: status.loadBalancer?.ingress?.[0]?.ip ?? null,
    ports: (spec.ports ?? []).flatMap(({ protocol, port, nodePort }) =>
      nodePort !== undefined && (protocol === 'TCP' || protocol === 'UDP')
        ? [{ protocol, port, nodePort }]
        : [],
    ),
    sourceRanges: spec.loadBalancerSourceRanges ?? [],
    staysWithClient: spec.sessionAffinity === 'ClientIP',
    healthPort: (isLocal && spec.healthCheckNodePort) || null,
  };
}

function nodeOf({ metadata, spec, status }: Node): ServiceNode[] {
  const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  if (address === undefined || metadata.labels?.[EXCLUDED] !== undefined || pretends(metadata.labels))
    return [];
  return [
    {
      address,
      isReady: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
      isLeaving: spec.unschedulable === true || metadata.deletionTimestamp !== undefined,
    },
  ];
}

/** Tells a service what became of it. */
export async function reportService(
  paths: Paths,
  address: string,
  service: ClusterService,
  state: ServiceState,
  now: Date,
): Promise<void> {
  const path = `/api/v1/namespaces/${service.namespace}/services/${service.name}`;
  const patch = (to: string, body: object) => ask(paths, address, { method: 'PATCH', path: to, body });
  if (state.address !== undefined && state.address !== service.address) {
    // Nodes send what is for this address through the load balancer, too.
    const ingress = state.address === null ? [] : [{ ip: state.address, ipMode: 'Proxy' }];
    await patch(`${path}/status`, { status: { loadBalancer: { ingress } } });
  }
  if (state.isHeld !== undefined && state.isHeld !== service.isHeld) {
    const { status, body } = await ask(paths, address, { path });
    if (status === 200 && body.metadata.uid === service.id) {
      const others = (body.metadata.finalizers ?? []).filter((each: string) => each !== FINALIZER);
      const { resourceVersion } = body.metadata;
      const finalizers = state.isHeld ? [...others, FINALIZER] : others;
      await patch(path, { metadata: { finalizers, resourceVersion } });
    }
  }
  if (state.event !== undefined) await tell(paths, address, service, state.event, now);
}

/** An event, which `kubectl describe service` shows. */
async function tell(
  paths: Paths,
  address: string,
  service: ClusterService,
  message: string,
  at: Date,
): Promise<void> {
  const { namespace, name, id } = service;
  const now = at.toISOString().replace(/\.\d+Z$/, 'Z');
  // The same one again is the same event.
  const event = `${name}.virga-load-balancer`;
  const path = `/api/v1/namespaces/${namespace}/events`;
  const body = {
    metadata: { name: event, namespace },
    involvedObject: { kind: 'Service', apiVersion: 'v1', namespace, name, uid: id },
    type: 'Warning',
    reason: 'SyncLoadBalancerFailed',
    message,
    source: { component: 'virga' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  const { status } = await ask(paths, address, { method: 'POST', path, body });
  if (status !== 409) return;
  const again = { message, lastTimestamp: now };
  await ask(paths, address, { method: 'PATCH', path: `${path}/${event}`, body: again });
}

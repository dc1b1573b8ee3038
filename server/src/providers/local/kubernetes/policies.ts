import { ask } from './api.ts';
import type { Paths } from './paths.ts';

/** What nodes of this machine cannot do is said by the API server of a cluster when somebody asks for it, in place of
 *  accepting what would have no effect. */

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const HAS_PODS = 'object.kind == "Pod" ? object.spec : ';
const IN_TEMPLATE =
  'object.kind == "CronJob" ? object.spec.jobTemplate.spec.template.spec : object.spec.template.spec';
const freeOfHostPorts = (containers: string): string =>
  `!has(variables.pod.${containers}) || variables.pod.${containers}.all(each, !has(each.ports) || each.ports.all(port, !has(port.hostPort) || port.hostPort == 0))`;

interface Policy {
  readonly name: string;
  readonly spec: object;
  readonly action: 'Deny' | 'Warn';
}

const POLICIES: readonly Policy[] = [
  {
    name: 'virga-host-ports',
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          rule('', 'v1', ['pods', 'replicationcontrollers']),
          rule('apps', 'v1', ['daemonsets', 'deployments', 'replicasets', 'statefulsets']),
          rule('batch', 'v1', ['cronjobs', 'jobs']),
        ],
      },
      variables: [{ name: 'pod', expression: `${HAS_PODS}${IN_TEMPLATE}` }],
      // Pods in the network of their node have each port there by themselves.
      validations: ['containers', 'initContainers'].map((containers) => ({
        expression: `(has(variables.pod.hostNetwork) && variables.pod.hostNetwork) || (${freeOfHostPorts(containers)})`,
        message:
          'hostPort is not possible in this region: use a service of the type NodePort or LoadBalancer, or hostNetwork',
      })),
    },
    action: 'Deny',
  },
  {
    name: 'virga-network-policies',
    spec: {
      failurePolicy: 'Ignore',
      matchConstraints: { resourceRules: [rule('networking.k8s.io', 'v1', ['networkpolicies'])] },
      validations: [{ expression: 'false', message: 'network policies have no effect in this region' }],
    },
    action: 'Warn',
  },
];

function rule(group: string, version: string, resources: readonly string[]): object {
  const operations = ['CREATE', 'UPDATE'];
  return { apiGroups: [group], apiVersions: [version], operations, resources };
}

/** Gives a cluster its policies, or brings them to what they are now.
 *  @throws Error when the API server does not take them */
export async function applyPolicies(paths: Paths, address: string): Promise<void> {
  for (const { name, spec, action } of POLICIES) {
    const binding = { policyName: name, validationActions: [action] };
    await applyObject(paths, address, 'validatingadmissionpolicies', name, spec);
    await applyObject(paths, address, 'validatingadmissionpolicybindings', name, binding);
  }
}

async function applyObject(
  paths: Paths,
  address: string,
  kind: string,
  name: string,
  spec: object,
): Promise<void> {
  const path = `${GROUP}/${kind}`;
  const made = await ask(paths, address, { method: 'POST', path, body: { metadata: { name }, spec } });
  const { status, body } =
    made.status === 409
      ? await ask(paths, address, { method: 'PATCH', path: `${path}/${name}`, body: { spec } })
      : made;
  if (status >= 300)
    throw new Error(`the policy ${name} of a cluster was refused: ${body?.message ?? status}`);
}

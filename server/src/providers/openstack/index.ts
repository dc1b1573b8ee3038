import { OpenStackAddresses } from './addresses.ts';
import { OpenStackImages } from './images.ts';
import { OpenStackInstances } from './instances.ts';
import { OpenStackLoadBalancers, type OpenStackOptions } from './load-balancers.ts';
import { OpenStackNetworks } from './networks.ts';
import { Nouns } from './nouns.ts';
import { OpenStackSecurityGroups } from './security-groups.ts';
import { OpenStackVolumes } from './volumes.ts';

export { checkCloud } from './check.ts';
export { openStackContents } from './contents.ts';
export type { Finding } from './findings.ts';
export type { EngineFacts, EngineObject, EngineObjects, KeptCounters, ObjectKind } from './marks.ts';
export { Session } from './session.ts';
export type { Credential, OpenStackSettings, SealedCredential } from './settings.ts';

/** The ports of a region that a cloud of OpenStack serves. Nothing of it is on this machine: any node may work on it. */
export function createOpenStack(options: OpenStackOptions) {
  const { volumes, instances } = options.settings;
  return {
    ...(volumes ? { volumes: new OpenStackVolumes(options), images: new OpenStackImages(options) } : {}),
    ...(volumes && instances ? { instances: new OpenStackInstances(options) } : {}),
    addresses: new OpenStackAddresses(options),
    networks: new OpenStackNetworks(options),
    securityGroups: new OpenStackSecurityGroups(options, new Nouns(options.session, options.objects)),
    loadBalancers: new OpenStackLoadBalancers(options),
  };
}

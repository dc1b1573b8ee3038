import type { RegionContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { providerOfTask, requireProvider } from '../../platform/tasks/providers.ts';
import type { FloatingIpProvider } from '../networking/floating-ips/index.ts';
import type { MachineVolumes } from '../volumes/index.ts';
import type { InstanceProvider } from './port.ts';

/** What the feature is given, and what its services share. */
export interface InstanceDeps {
  providerOf(regionId: number): InstanceProvider | undefined;
  floatingIpsOf(regionId: number): FloatingIpProvider | undefined;
  readonly volumes: MachineVolumes;
  readonly cipher: Cipher;
}

/** The device that ports of an instance belong to. */
export const deviceOf = (id: string) => ({ type: 'instance', id }) as const;

/** @throws Forbidden when the region has no virtual machines */
export function requireMachines(deps: Pick<InstanceDeps, 'providerOf'>, ctx: RegionContext): void {
  requireProvider(deps, ctx.region, 'virtual machines');
}

export const providerFor = providerOfTask('virtual machines');

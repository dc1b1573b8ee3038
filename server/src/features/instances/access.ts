import { NotOffered, TaskFailed } from '../../kernel/errors.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { TaskRun } from '../../platform/tasks/handler.ts';
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
  if (deps.providerOf(ctx.region.id)) return;
  throw new NotOffered(`Region ${ctx.region.name} has no virtual machines`);
}

/** @throws TaskFailed when the region has no virtual machines any more */
export function providerFor({ task }: TaskRun, deps: Pick<InstanceDeps, 'providerOf'>): InstanceProvider {
  const provider = task.regionId === null ? undefined : deps.providerOf(task.regionId);
  if (!provider) throw new TaskFailed(`Region ${task.regionId} has no virtual machines`);
  return provider;
}

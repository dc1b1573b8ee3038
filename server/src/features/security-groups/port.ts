import type { Operation, Progress } from '../../kernel/operation.ts';
import type { Applied, Drift, Looks } from '../../platform/drift/reconciler.ts';
import type { Rule } from './model.ts';

/** What a region's provider must be able to do for security groups. */
export interface SecurityGroupProvider extends Looks<DesiredSecurityGroup, 'security_group'> {
  /** Makes the group have these rules and no others, for everything that it filters.
   *  @throws TaskFailed when it cannot be done */
  applySecurityGroup(desired: DesiredSecurityGroup, operation: Operation): Promise<AppliedGroup>;
  /** Forgets the group; one that is not there is fine.
   *  @throws TaskFailed when it cannot be done */
  removeSecurityGroup(id: string, operation: Operation): Promise<Progress>;
}

export type AppliedGroup = Applied;
export type GroupDrift = Drift<'security_group'>;

export interface DesiredSecurityGroup {
  readonly id: string;
  readonly rules: readonly Rule[];
}

/** Type of the operation that undoes what another one of the same task did. */
export const RESTORE_SECURITY_GROUP = 'restore_security_group';

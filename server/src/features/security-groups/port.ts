import type { Operation, Progress } from '../../kernel/operation.ts';
import type { Rule } from './model.ts';

/** What a region's provider must be able to do for security groups. */
export interface SecurityGroupProvider {
  /** Makes the group have these rules and no others, for everything that it filters.
   *  @throws TaskFailed when it cannot be done */
  applySecurityGroup(desired: DesiredSecurityGroup, operation: Operation): Promise<AppliedGroup>;
  /** Forgets the group; one that is not there is fine.
   *  @throws TaskFailed when it cannot be done */
  removeSecurityGroup(id: string, operation: Operation): Promise<Progress>;
  /** Which groups are not as desired, of those that were made once, and ids of those that nobody wants. Absent: none
   *  changes by itself. @param held ids of those that tasks work on */
  look?(groups: readonly DesiredSecurityGroup[], held: ReadonlySet<string>): Promise<readonly GroupDrift[]>;
  /** Whether this node is the one that looks at the region at present. Absent: any. */
  mayLook?(): Promise<boolean>;
}

export type AppliedGroup = Progress & {
  /** What was not as desired: `security group: rules`. */
  readonly changes?: readonly string[];
};

export interface GroupDrift {
  readonly id: string;
  /** `changed` here; `altered` or `deleted` there, by somebody else; `surplus`: nobody wants it. */
  readonly why: 'changed' | 'altered' | 'deleted' | 'surplus';
}

export interface DesiredSecurityGroup {
  readonly id: string;
  readonly rules: readonly Rule[];
}

/** Type of the operation that undoes what another one of the same task did. */
export const RESTORE_SECURITY_GROUP = 'restore_security_group';

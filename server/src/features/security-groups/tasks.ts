import type { Created } from '../../platform/tasks/created-resources.ts';
import { done, type TaskHandler, type TaskRun, waitFor, whileHeldBy } from '../../platform/tasks/handler.ts';
import { holdOf, providerOfTask, undoing } from '../../platform/tasks/providers.ts';
import { quotaOf, release } from '../quotas/index.ts';
import type { SecurityGroupDeps } from './common.ts';
import type { GroupRow, GroupTraits } from './model.ts';
import { RESTORE_SECURITY_GROUP } from './port.ts';

import * as store from './store.ts';

const DEADLINE_MS = 15 * 60_000;

type Deps = Pick<SecurityGroupDeps, 'providerOf'>;

/** What a change makes of a group, and the rule that it creates, if it is one's creation. */
export interface ChangeInput {
  readonly after: GroupTraits;
  readonly ruleId?: string;
}

const desiredOf = ({ id, rules }: Pick<GroupRow, 'id' | 'rules'>) => ({ id, rules });

const providerFor = providerOfTask('security groups');
const whileHeld = whileHeldBy(store.readHeld);

/** Taking back costs a simulated region no time, and never fails there. */
const restoring = (run: TaskRun) => undoing(run, RESTORE_SECURITY_GROUP);

const forget = (run: TaskRun, row: GroupRow) =>
  done({}, async (tx) => {
    if (await store.deleteGroup(tx, row.id, run.task.id))
      await release(tx, quotaOf(row), { firewall_count: 1 });
  });

/** Makes the group what it was before. */
const restore = (deps: Deps) =>
  whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).applySecurityGroup(desiredOf(row), restoring(run)));
    return waiting ?? done({}, (tx) => store.releaseGroup(tx, holdOf(run)));
  });

/** A new group; when that fails, nothing of it is left. */
const createGroup = (deps: Deps): TaskHandler => ({
  type: 'create_security_group',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).applySecurityGroup(desiredOf(row), run.operation));
    return waiting ?? done({ security_groups: [row.id] }, (tx) => store.releaseGroup(tx, holdOf(run)));
  }),
  undo: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).removeSecurityGroup(row.id, restoring(run)));
    return waiting ?? forget(run, row);
  }),
});

/** What a group is to be stands in the task; when it fails, the group is as it was. */
const changeGroup = (type: string, deps: Deps): TaskHandler => ({
  type,
  deadlineMs: DEADLINE_MS,
  async run(run) {
    const { after, ruleId } = run.task.input as ChangeInput;
    const desired = { id: run.task.subject, rules: after.rules };
    const waiting = waitFor(await providerFor(run, deps).applySecurityGroup(desired, run.operation));
    const created: Created = ruleId === undefined ? {} : { security_group_rules: [ruleId] };
    return waiting ?? done(created, (tx) => store.releaseGroup(tx, holdOf(run), after));
  },
  undo: restore(deps),
});

/** When it fails, the group is as it was. */
const deleteGroup = (deps: Deps): TaskHandler => ({
  type: 'delete_security_group',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).removeSecurityGroup(row.id, run.operation));
    return waiting ?? forget(run, row);
  }),
  undo: restore(deps),
});

export const securityGroupTasks = (deps: Deps): readonly TaskHandler[] => [
  createGroup(deps),
  changeGroup('update_security_group', deps),
  changeGroup('create_security_group_rule', deps),
  changeGroup('delete_security_group_rule', deps),
  deleteGroup(deps),
];

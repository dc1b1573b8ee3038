import { useRef } from 'react';
import { apiCall, type Schemas } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { useShownRows } from '../../ui/shown-rows.ts';
import { Spacer } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import styles from './pools.module.css';

type Pool = Schemas['Pool'];
type Member = Pool['members'][number];

/** Of thousands of members, those that are looked at are drawn. */
export function Members({ pool }: { readonly pool: Pool }) {
  const { members } = pool;
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, above, below } = useShownRows(members.length, body);
  const isLong = to - from < members.length;
  return (
    <table
      className={styles.table}
      aria-label={`Members of ${pool.name}`}
      aria-rowcount={isLong ? members.length : undefined}
    >
      <tbody ref={body}>
        <Spacer height={above} columns={4} />
        {members.slice(from, to).map((member, index) => (
          <MemberRow
            key={member.id}
            pool={pool}
            member={member}
            index={isLong ? from + index + 1 : undefined}
          />
        ))}
        <Spacer height={below} columns={4} />
      </tbody>
    </table>
  );
}

/** Why a member is down, in the words of the check. */
function Why({ member: { operating_status: status, last_check: check } }: { readonly member: Member }) {
  if (status !== 'ERROR' || !check) return null;
  return (
    <p className={styles.why}>
      {check.reason.replace(/\.?$/, '.')}
      {check.since && (
        <>
          {' '}
          It went down <Time at={check.since} />.
        </>
      )}
    </p>
  );
}

const MEMBER = '/cloud/v1/loadbalancers/{project_id}/{region_id}/pools/{pool_id}/members/{member_id}';

interface MemberRowProps {
  readonly pool: Pool;
  readonly member: Member;
  readonly index: number | undefined;
}

function MemberRow({ pool, member, index }: MemberRowProps) {
  const path = { ...pathParams(useScope()), pool_id: pool.id, member_id: member.id };
  const name = `${member.address}:${member.protocol_port}`;
  const why = whyBusy(pool);
  const toggle = () =>
    apiCall('patch', MEMBER, { params: { path }, body: { admin_state_up: !member.admin_state_up } });
  const remove = () => apiCall('delete', MEMBER, { params: { path } });
  const verb = member.admin_state_up ? 'Disable' : 'Enable';
  return (
    <tr data-row aria-rowindex={index}>
      <td>
        <code>{name}</code>
      </td>
      <td>
        <StatusBadge status={member.admin_state_up ? member.operating_status : 'SHUTOFF'} />
        <Why member={member} />
      </td>
      <td className={styles.soft}>
        weight {member.weight}
        {member.backup && ', backup'}
      </td>
      <td className={styles.actions}>
        <VerbButton
          size="compact-sm"
          variant="subtle"
          color="gray"
          why={why}
          call={toggle}
          onClick={() => void startTask(toggle(), { title: `${verb} ${name}` })}
        >
          {verb}
        </VerbButton>
        <VerbButton
          size="compact-sm"
          variant="subtle"
          color="red"
          why={why}
          call={remove}
          onClick={() => void startTask(remove(), { title: `Remove ${name}` })}
        >
          Remove
        </VerbButton>
      </td>
    </tr>
  );
}

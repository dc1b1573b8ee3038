import { Group } from '@mantine/core';
import { Fragment, useState } from 'react';
import { client, type Schemas } from '../../api/client.ts';
import { pathParams, usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { ActionsMenu } from '../../ui/row-menu.tsx';
import { Time } from '../../ui/time.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import type { LoadBalancer } from './list.tsx';
import { MemberForm } from './member-form.tsx';
import { useNewPool } from './new-pool.tsx';
import { usePoolVerbs } from './pool-verbs.tsx';
import styles from './pools.module.css';

type Pool = Schemas['Pool'];
type Member = Pool['members'][number];

interface PoolsProps {
  readonly lb: LoadBalancer;
  readonly listeners: readonly Schemas['Listener'][];
  readonly pools: readonly Pool[];
}

/** Each pool with its members: switched off, on, removed, added. */
export function Pools({ lb, listeners, pools }: PoolsProps) {
  const [adding, setAdding] = useState<Pool>();
  const place = usePlace();
  const verbs = usePoolVerbs(place);
  const add = useNewPool(place, listeners, pools);
  const why = whyBusy(lb);
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <VerbButton size="xs" why={why} onClick={() => add.action.run(lb)}>
          Add pool
        </VerbButton>
      </Group>
      {add.dialog}
      {pools.length === 0 && (
        <Empty title="No pools" about="A pool is a group of servers among which connections are shared." />
      )}
      {pools.map((pool) => (
        <Card
          key={pool.id}
          title={
            <>
              {pool.name} <StatusBadge status={pool.operating_status} />
            </>
          }
          aside={
            <Group gap="xs">
              <VerbButton size="xs" variant="default" why={whyBusy(pool)} onClick={() => setAdding(pool)}>
                Add member
              </VerbButton>
              <ActionsMenu row={pool} actions={verbs.map(({ action }) => action)} />
            </Group>
          }
        >
          <Check pool={pool} />
          <table className={styles.table} aria-label={`Members of ${pool.name}`}>
            <tbody>
              {pool.members.map((member) => (
                <MemberRow key={member.id} pool={pool} member={member} />
              ))}
            </tbody>
          </table>
        </Card>
      ))}
      {verbs.map(({ action, dialog }) => (
        <Fragment key={action.label}>{dialog}</Fragment>
      ))}
      {adding && <MemberForm pool={adding} close={() => setAdding(undefined)} />}
    </>
  );
}

function Check({ pool: { healthmonitor: check } }: { readonly pool: Pool }) {
  return (
    <p className={styles.check}>
      {check
        ? `Checked by ${check.type}${check.url_path ? ` ${check.url_path}` : ''} every ${check.delay} s; a member is out after ${check.max_retries_down} failures and back after ${check.max_retries} successes.`
        : 'Members are not checked: a dead one keeps getting connections.'}
    </p>
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

function MemberRow({ pool, member }: { readonly pool: Pool; readonly member: Member }) {
  const path = { ...pathParams(usePlace()), pool_id: pool.id, member_id: member.id };
  const name = `${member.address}:${member.protocol_port}`;
  const why = whyBusy(pool);
  const toggle = () =>
    void startTask(
      client.PATCH('/cloud/v1/loadbalancers/{project_id}/{region_id}/pools/{pool_id}/members/{member_id}', {
        params: { path },
        body: { admin_state_up: !member.admin_state_up },
      }),
      { title: `${member.admin_state_up ? 'Disable' : 'Enable'} ${name}` },
    );
  const remove = () =>
    void startTask(
      client.DELETE('/cloud/v1/loadbalancers/{project_id}/{region_id}/pools/{pool_id}/members/{member_id}', {
        params: { path },
      }),
      { title: `Remove ${name}` },
    );
  return (
    <tr>
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
        <VerbButton size="compact-sm" variant="subtle" color="gray" why={why} onClick={toggle}>
          {member.admin_state_up ? 'Disable' : 'Enable'}
        </VerbButton>
        <VerbButton size="compact-sm" variant="subtle" color="red" why={why} onClick={remove}>
          Remove
        </VerbButton>
      </td>
    </tr>
  );
}

import { Group } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useScope } from '../../app/scope.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { Near } from '../../ui/near.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { actionsOf, Dialogs } from '../../ui/row-form.tsx';
import { ActionsMenu } from '../../ui/row-menu.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import type { LoadBalancer } from './list.tsx';
import { MemberForm, newMember } from './member-form.tsx';
import { Members } from './members.tsx';
import { useNewPool } from './new-pool.tsx';
import { usePoolVerbs } from './pool-verbs.tsx';
import styles from './pools.module.css';

type Pool = Schemas['Pool'];

interface PoolsProps {
  readonly lb: LoadBalancer;
  readonly listeners: readonly Schemas['Listener'][];
  readonly pools: readonly Pool[];
}

/** Each pool with its members: switched off, on, removed, added. */
export function Pools({ lb, listeners, pools }: PoolsProps) {
  const [adding, setAdding] = useState<Pool>();
  const scope = useScope();
  const verbs = usePoolVerbs(scope);
  const add = useNewPool(scope, listeners, pools);
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <ActionButton variant="filled" action={add.action} row={lb} />
      </Group>
      {add.dialog}
      {pools.length === 0 && (
        <Empty title="No pools" about="A pool is a group of servers among which connections are shared." />
      )}
      {pools.map((pool) => (
        <Near key={pool.id} height={heightOf(pool)}>
          <Card
            title={
              <>
                {pool.name} <StatusBadge status={pool.operating_status} />
              </>
            }
            aside={
              <Group gap="xs">
                <VerbButton
                  size="xs"
                  variant="default"
                  why={whyBusy(pool)}
                  call={newMember(scope)}
                  onClick={() => setAdding(pool)}
                >
                  Add member
                </VerbButton>
                <ActionsMenu row={pool} actions={actionsOf(verbs)} />
              </Group>
            }
          >
            <Check pool={pool} />
            <Members pool={pool} />
          </Card>
        </Near>
      ))}
      <Dialogs verbs={verbs} />
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

/** Of its card, in px, before it was drawn. */
const heightOf = ({ members }: Pool) => 130 + 41 * members.length;

import { Group } from '@mantine/core';
import { Fragment } from 'react';
import type { Schemas } from '../../api/client.ts';
import { usePlace } from '../../app/place.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { whyBusy } from '../../ui/delete-action.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { ActionsMenu } from '../../ui/row-menu.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import type { LoadBalancer } from './list.tsx';
import { Rules, useNewRule } from './policy-rules.tsx';
import { effectOf, nameOf, type Policy, usePolicyVerbs } from './policy-verbs.tsx';
import styles from './pools.module.css';

interface PoliciesProps {
  readonly lb: LoadBalancer;
  readonly listeners: readonly Schemas['Listener'][];
  readonly pools: readonly Schemas['Pool'][];
  readonly policies: readonly Policy[];
}

/** What becomes of requests before they reach a listener's own pool, in the order in which it is decided. */
export function Policies({ lb, listeners, pools, policies }: PoliciesProps) {
  const { add, verbs, able } = usePolicyVerbs(usePlace(), { lb, listeners, pools });
  const rule = useNewRule();
  const why = able ? whyBusy(lb) : 'Only listeners of HTTP, or HTTPS that is decrypted here, have policies';
  const ordered = policies.toSorted((one, other) => one.position - other.position);
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <VerbButton size="xs" why={why} onClick={() => add.action.run(lb)}>
          Add policy
        </VerbButton>
      </Group>
      {policies.length === 0 && (
        <Empty
          title="No policies"
          about="A policy decides on requests by their path, host or header: another pool, a redirect, a refusal."
        />
      )}
      {ordered.map((policy) => (
        <Card
          key={policy.id}
          title={
            <>
              {nameOf(policy)} <StatusBadge status={policy.operating_status} />
            </>
          }
          aside={
            <Group gap="xs">
              <VerbButton
                size="xs"
                variant="default"
                why={whyBusy(policy)}
                onClick={() => rule.action.run(policy)}
              >
                Add rule
              </VerbButton>
              <ActionsMenu row={policy} actions={verbs.map(({ action }) => action)} />
            </Group>
          }
        >
          <p className={styles.check}>
            What comes to {listeners.find(({ id }) => id === policy.listener_id)?.name ?? 'its listener'} and
            fits all rules {effectOf(policy, pools)}.
          </p>
          <Rules policy={policy} />
        </Card>
      ))}
      {[add, rule, ...verbs].map(({ action, dialog }) => (
        <Fragment key={action.label}>{dialog}</Fragment>
      ))}
    </>
  );
}

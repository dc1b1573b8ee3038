import { Group } from '@mantine/core';
import { Fragment } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useScope } from '../../app/scope.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Near } from '../../ui/near.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { actionsOf } from '../../ui/row-form.tsx';
import { ActionsMenu } from '../../ui/row-menu.tsx';
import type { LoadBalancer } from './list.tsx';
import { Rules, useNewRule, useRuleVerbs } from './policy-rules.tsx';
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
  const { add, verbs } = usePolicyVerbs(useScope(), { lb, listeners, pools });
  const addRule = useNewRule();
  const ruleVerbs = useRuleVerbs();
  const ordered = policies.toSorted((one, other) => one.position - other.position);
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <ActionButton variant="filled" action={add.action} row={lb} />
      </Group>
      {policies.length === 0 && (
        <Empty
          title="No policies"
          about="A policy decides on requests by their path, host or header: another pool, a redirect, a refusal."
        />
      )}
      {ordered.map((policy) => (
        <Near key={policy.id} height={heightOf(policy)}>
          <Card
            title={
              <>
                {nameOf(policy)} <StatusBadge status={policy.operating_status} />
              </>
            }
            aside={
              <Group gap="xs">
                <ActionButton action={addRule.action} row={policy} />
                <ActionsMenu row={policy} actions={actionsOf(verbs)} />
              </Group>
            }
          >
            <p className={styles.check}>
              What comes to {listeners.find(({ id }) => id === policy.listener_id)?.name ?? 'its listener'}{' '}
              and fits all rules {effectOf(policy, pools)}.
            </p>
            <Rules policy={policy} actions={actionsOf(ruleVerbs)} />
          </Card>
        </Near>
      ))}
      {/* Once for all policies and rules: there may be hundreds. */}
      {[add, addRule, ...verbs, ...ruleVerbs].map(({ dialog }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are always the same
        <Fragment key={index}>{dialog}</Fragment>
      ))}
    </>
  );
}

/** Of its card, roughly, in px. */
const heightOf = ({ rules }: Policy) => (rules.length === 0 ? 280 : 140 + 44 * rules.length);

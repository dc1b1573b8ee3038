import { Skeleton, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { faultOf } from '../api/client.ts';
import { nameOf as byName, idOf, isUuid, type Named } from '../api/named.ts';
import { pathIn } from '../api/scope.ts';
import { Copy } from './copy.tsx';
import { type DeleteOptions, NOTHING, useDelete } from './delete-action.tsx';
import { FaultNote } from './fault.tsx';
import { FromBefore } from './from-before.tsx';
import { type Fact, Facts, PageHead } from './page.tsx';
import { useRouting, useScope } from './routing.tsx';
import { actionsOf, Dialogs, type RowVerb } from './row-form.tsx';
import { ActionsMenu, type RowAction } from './row-menu.tsx';
import { TabList } from './tab-list.tsx';
import { WhereItLives } from './where-it-lives.tsx';

export interface Tab {
  readonly key: string;
  readonly label: string;
  readonly body: ReactNode;
}

export interface DetailProps<Row> {
  /** The noun, while its name is not known. */
  readonly kind: string;
  readonly back: { readonly to: string; readonly label: string };
  readonly query: {
    readonly data: Row | undefined;
    readonly error: unknown;
    readonly refetch?: () => unknown;
    readonly dataUpdatedAt?: number;
  };
  /** Default: its name. */
  readonly nameOf?: (row: Row) => string;
  readonly badge?: (row: Row) => ReactNode;
  readonly verbs?: readonly RowVerb<Row>[];
  readonly actions?: readonly RowAction<Row>[];
  /** How it is deleted; then its list is shown. */
  readonly remove?: DeleteOptions<Row>;
  /** More buttons at the head. */
  readonly head?: (row: Row) => ReactNode;
  readonly facts: (row: Row) => readonly Fact[];
  readonly children?: (row: Row) => ReactNode;
  readonly tabs?: (row: Row) => readonly Tab[];
}

/** Where the page of one thing stands: which one, and the way back to the list of its kind.
 *  @param page the folder of its pages: `load-balancers` */
export function useDetailScope(page: string, label: string) {
  const scope = useScope();
  const { id = '' } = useRouting().useParameters();
  return { scope, id, back: { to: pathIn(scope, page), label } };
}

/** One thing: its name, state and verbs, a band of facts, and what it consists of. */
export function Detail<Row extends Named>(props: DetailProps<Row>) {
  const { kind, back, query, nameOf = byName, remove, actions = [] } = props;
  const { go } = useRouting();
  const deletion = useDelete<Row>({
    ...(remove ?? NOTHING),
    deleted: () => {
      remove?.deleted?.();
      void go(back.to);
    },
  });
  const row = query.data;
  if (row === undefined) {
    return (
      <>
        <PageHead title={kind} back={back} />
        {query.error ? (
          <FaultNote fault={faultOf(query.error)} retry={() => void query.refetch?.()} others={back} />
        ) : (
          <Skeleton height={240} />
        )}
      </>
    );
  }
  const verbs = [...(props.verbs ?? []), ...(remove ? [deletion] : [])];
  const all = [...actions, ...actionsOf(verbs)];
  return (
    <>
      <PageHead
        back={back}
        title={
          <>
            {nameOf(row)} {props.badge?.(row)}
            <Copy value={idOf(row)} />
          </>
        }
      >
        {props.head?.(row)}
        {all.length > 0 && <ActionsMenu row={row} actions={all} />}
      </PageHead>
      <FromBefore query={query} />
      <Facts facts={props.facts(row)} />
      {props.children?.(row)}
      {isUuid(idOf(row)) && <WhereItLives id={idOf(row)} />}
      {props.tabs && <DetailTabs tabs={props.tabs(row)} />}
      <Dialogs verbs={verbs} />
    </>
  );
}

/** The parts of a thing; which one is shown is in the address. */
export function DetailTabs({ tabs }: { readonly tabs: readonly Tab[] }) {
  const { useSearch, changeSearch } = useRouting();
  const { tab: requested } = useSearch();
  // An address may name a tab that there is not, or not any more.
  const tab = (tabs.find(({ key }) => key === requested) ?? tabs[0])?.key ?? '';
  const change = (next: string | null) =>
    void changeSearch(() => ({ tab: next ?? undefined }), { replace: true });
  return (
    <Tabs value={tab} keepMounted={false} onChange={change}>
      <TabList tabs={tabs} mb="md" />
      {tabs.map(({ key, body }) => (
        <Tabs.Panel key={key} value={key}>
          {body}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

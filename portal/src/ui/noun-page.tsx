import type { Named } from '../api/named.ts';
import { copyId, type DeleteOptions, NOTHING, useDelete } from './delete-action.tsx';
import { ListPage, type ListPageProps, type RowAction } from './list-page.tsx';
import { actionsOf, Dialogs, type RowVerb } from './row-form.tsx';
import { callOf, type FormOptions, SideForm, useNewForm } from './side-form.tsx';

export interface NounPageProps<Row, Body>
  extends Omit<ListPageProps<Row>, 'create' | 'actions' | 'empty' | 'several'> {
  readonly empty: { readonly title: string; readonly about: string; readonly code?: string };
  /** The form that makes one. */
  readonly form?: FormOptions<Body>;
  /** A page that makes one, where a side form is too narrow. */
  readonly createPage?: Pick<NonNullable<ListPageProps<Row>['create']>, 'label' | 'to' | 'call'>;
  /** Why none can be made here. */
  readonly createDisabled?: string | undefined;
  readonly remove?: DeleteOptions<Row>;
  /** How several are deleted at once; default: as one is. */
  readonly several?: DeleteOptions<Row>;
  /** Verbs that need no question. */
  readonly actions?: readonly RowAction<Row>[];
  /** Verbs that open a form or a dialog. */
  readonly verbs?: readonly RowVerb<Row>[];
}

/** Everything that a list of a noun has: the list, the form that makes one, the verbs of a row, the question before
 *  one is deleted. */
export function NounPage<Row extends Named, Body>(props: NounPageProps<Row, Body>) {
  const {
    form,
    createPage,
    createDisabled,
    remove,
    several = remove,
    actions = [],
    verbs = [],
    empty,
    ...list
  } = props;
  const opened = useNewForm();
  const deletion = useDelete<Row>(remove ?? NOTHING);
  const create = createPage ?? (form && { label: form.title, to: opened.to, call: () => callOf(form) });
  return (
    <>
      <ListPage<Row>
        {...list}
        {...(create ? { create: { ...create, disabled: createDisabled } } : {})}
        actions={[copyId, ...actions, ...actionsOf(verbs), ...(remove ? [deletion.action] : [])]}
        several={several}
        empty={{ ...empty, action: create }}
      />
      {deletion.dialog}
      <Dialogs verbs={verbs} />
      {form && <SideForm {...form} draft={location.pathname} opened={opened.opened} close={opened.close} />}
    </>
  );
}

import { Button, Drawer, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useCallback, useId, useLayoutEffect, useRef } from 'react';
import { type ApiCall, type ApiFault, queryClient } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import type { Task } from '../api/tasks.ts';
import { CodePanel } from './code-panel.tsx';
import { DraftNote, useDraft } from './drafts.tsx';
import { FaultNote } from './fault.tsx';
import { type Field, FieldInput, initialValue, type Value, type Values } from './field-input.tsx';
import { followTask, taskOf } from './follow-task.tsx';
import { useRouting } from './routing.tsx';
import styles from './side-form.module.css';
import { focusFault, useSubmit } from './submit.ts';

import { VerbButton } from './verb-button.tsx';

export { given, text } from './values.ts';
export type { Field, Value, Values };

/** What a form asks for, what it sends, and what comes of it. */
export interface FormOptions<Body> {
  /** What the form does; its button says the same. */
  readonly title: string;
  /** Of the button, where it is shorter than the title. */
  readonly verb?: string;
  /** What will come of it, where no field tells. */
  readonly about?: string;
  readonly fields: readonly Field[];
  readonly body: (values: Values) => Body;
  /** The call that it makes, which is shown as somebody would write it elsewhere. */
  readonly request: (body: Body) => ApiCall;
  /** The body as it is shown, where something in it is secret. */
  readonly shown?: (body: Body) => unknown;
  /** The same as a resource of the infrastructure tool. */
  readonly terraform?: (body: Body) => string;
  /** Where the result is once its task has ended. */
  readonly to?: (task: Task) => string | undefined;
  /** The page of what is made, which is there at once; absent: the list stays. */
  readonly opens?: (body: Body) => string;
  /** Sees the answer of a call. */
  readonly done?: (data: unknown) => void;
  /** More of what will come of it, above the code. */
  readonly picture?: (values: Values) => ReactNode;
}

export interface SideFormProps<Body> extends FormOptions<Body> {
  /** Under which name what is typed is kept when the form is left without sending; absent: it is not. */
  readonly draft?: string;
  readonly opened: boolean;
  /** Returns what is to end before the form can be sent again. */
  readonly close: () => unknown;
}

const initialValues = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.map((field) => [field.key, initialValue(field)]));

/** The call that a form makes as it is opened, by which it is known who may send it. */
export const callOf = <Body,>({ fields, body, request }: FormOptions<Body>): ApiCall =>
  request(body(initialValues(fields)));

/** Opens and closes a form that has its own address over the live list: `?new=1`. */
export function useNewForm(): {
  readonly opened: boolean;
  readonly close: () => Promise<void>;
  readonly to: string;
} {
  const { useSearch, changeSearch } = useRouting();
  const search = useSearch();
  return {
    opened: search.new !== undefined,
    close: () => changeSearch(({ new: _, ...rest }) => rest),
    to: `${location.pathname}?new=1`,
  };
}

/** Left the fields, right the code that does the same; the API's faults land on their fields. */
export function SideForm<Body>(props: SideFormProps<Body>) {
  useFocusBack(props.opened);
  const id = useId();
  // Escape reaches all forms that are open; it closes the one on top.
  const leave = () => void (isOnTop(id) && props.close());
  return (
    <Drawer id={id} opened={props.opened} onClose={leave} position="right" size={880} title={props.title}>
      {props.opened && <Form {...props} />}
    </Drawer>
  );
}

const isOnTop = (id: string) =>
  [...document.querySelectorAll('[role=dialog]')].at(-1)?.getAttribute('aria-labelledby') === `${id}-title`;

/** Gives the focus back to where it was, also when the form goes at once with what it was about. */
function useFocusBack(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return;
    const before = document.activeElement;
    return () => {
      requestAnimationFrame(() => {
        const lost = document.activeElement === null || document.activeElement === document.body;
        if (lost && before instanceof HTMLElement) before.focus({ preventScroll: true });
      });
    };
  }, [opened]);
}

/** Whether a fault of the API is about a field: its own, or of one of its parts (`tags.env`, `names.0`). */
const isAbout = ({ key, fault = key }: Field, name: string) =>
  [fault].flat().some((own) => name === own || name.startsWith(`${own}.`));

function errorOf(fault: ApiFault | undefined, field: Field): string | undefined {
  const messages = Object.entries(fault?.fields ?? {}).filter(([name]) => isAbout(field, name));
  // Of several parts the same may be said.
  return [...new Set(messages.flatMap(([, texts]) => texts))].join(', ') || undefined;
}

function Form<Body>(props: SideFormProps<Body>) {
  const { title, verb = title, fields, request, to, opens, done, close, picture } = props;
  const { go } = useRouting();
  const isTyped = useCallback(
    (typed: Values) => fields.some((field) => !field.first && typed[field.key] !== initialValue(field)),
    [fields],
  );
  const draft = useDraft(props.draft, () => initialValues(fields), isTyped);
  const values = draft.value;
  const { busy, fault, send } = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  const shown = fields.filter(({ when }) => when?.(values) ?? true);
  const others = Object.entries(fault?.fields ?? {}).filter(
    ([name]) => !shown.some((field) => isAbout(field, name)),
  );
  const body = props.body(values);
  const call = request(body);
  const lack = useMay()(call);
  const cancel = () => {
    draft.forget();
    close();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // A form may be opened from within another one, which is not sent with it.
    event.stopPropagation();
    const { error } = await send(call.send, (data) => {
      draft.forget();
      const task = taskOf(data);
      if (task) followTask(task, { title, to });
      // It was done when it was answered, and no event reports it.
      else void queryClient.invalidateQueries();
      done?.(data);
      // A page of its own closes the form, too.
      return opens ? go(opens(body)) : close();
    });
    if (error !== undefined) focusFault(form.current);
  };
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} className={styles.columns}>
      <Stack gap="sm">
        {fault && <FaultNote fault={{ ...fault, fields: Object.fromEntries(others) }} />}
        {lack && <p className={styles.about}>{lack}.</p>}
        {props.about && <p className={styles.about}>{props.about}</p>}
        <DraftNote {...draft} />
        {shown.map((field, index) => (
          <FieldInput
            key={field.key}
            field={field}
            first={index === 0}
            value={values[field.key] ?? ''}
            error={errorOf(fault, field)}
            change={(value) => draft.set((before) => ({ ...before, [field.key]: value }))}
          />
        ))}
        <Group justify="flex-end" mt="xs">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <VerbButton
            type="submit"
            loading={busy}
            why={lack}
            data-autofocus={fields.length === 0 || undefined}
          >
            {verb}
          </VerbButton>
        </Group>
      </Stack>
      <Stack gap="sm">
        {picture?.(values)}
        <CodePanel
          call={{
            ...call,
            ...(props.shown ? { body: props.shown(body) } : {}),
            ...(props.terraform ? { terraform: props.terraform(body) } : {}),
          }}
        />
      </Stack>
    </form>
  );
}

import { Group } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef } from 'react';
import type { ApiCall } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { CodePanel } from './code-panel.tsx';
import { DraftNote, type KeptDraft } from './drafts.tsx';
import { FaultNote } from './fault.tsx';
import { PageHead } from './page.tsx';
import { focusFault, useSubmit } from './submit.ts';
import { VerbButton } from './verb-button.tsx';
import styles from './wizard.module.css';

interface WizardProps<Data> {
  /** What it does; its button says the same. */
  readonly title: string;
  readonly about: string;
  readonly back: { readonly to: string; readonly label: string };
  /** The call that it makes; it is shown below the outcome. */
  readonly request: ApiCall<Data>;
  /** The same as a resource of the infrastructure tool. */
  readonly terraform?: string;
  /** What it has so far. */
  readonly draft: Pick<KeptDraft<unknown>, 'forget' | 'startOver'>;
  /** Sees the answer when the call was accepted, and leaves the page. */
  readonly done: (data: Data) => Promise<void>;
  /** The fields; `errorOf` returns what the API said of one. */
  readonly fields: (errorOf: (field: string) => string | undefined) => ReactNode;
  /** Fields that show their own faults begin so; the others are named at the top. */
  readonly known: (field: string) => boolean;
  /** Beside the button that submits. */
  readonly aside?: ReactNode;
  /** What will come of it: picture, quota. */
  readonly outcome: ReactNode;
}

/** A form that is a page: left what is asked, right what will come of it, in step with each key pressed. */
export function Wizard<Data>(props: WizardProps<Data>) {
  const { request, terraform } = props;
  const { busy, fault, send } = useSubmit();
  const lack = useMay()(request);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { error } = await send(request.send, (data) => {
      props.draft.forget();
      return props.done(data);
    });
    if (error !== undefined) focusFault(form.current);
  };
  const others = Object.entries(fault?.fields ?? {}).filter(([field]) => !props.known(field));
  return (
    <form ref={form} onSubmit={(event) => void submit(event)}>
      <PageHead title={props.title} about={lack ? `${lack}.` : props.about} back={props.back} />
      <div className={styles.columns}>
        <div className={styles.fields}>
          {fault && (
            <div className={styles.fault}>
              <FaultNote fault={{ ...fault, fields: Object.fromEntries(others) }} />
            </div>
          )}
          <DraftNote {...props.draft} />
          {props.fields((field) => fault?.fields[field]?.join(', '))}
          <Group justify="space-between">
            {props.aside ?? <span />}
            <VerbButton type="submit" loading={busy} why={lack}>
              {props.title}
            </VerbButton>
          </Group>
        </div>
        <div className={styles.outcome}>
          {props.outcome}
          <CodePanel call={{ ...request, ...(terraform === undefined ? {} : { terraform }) }} />
        </div>
      </div>
    </form>
  );
}

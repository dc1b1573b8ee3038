import { Button, Group } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { type ApiFault, faultOf } from '../api/client.ts';
import { FaultNote } from './fault.tsx';
import { PageHead } from './page.tsx';
import styles from './wizard.module.css';

interface WizardProps<Data> {
  /** What it does; its button says the same. */
  readonly title: string;
  readonly about: string;
  readonly back: { readonly to: string; readonly label: string };
  readonly submit: () => Promise<{ readonly data?: Data | undefined; readonly error?: unknown }>;
  /** Sees the answer when the call was accepted. */
  readonly done: (data: Data) => void;
  /** The fields; `errorOf` tells what the API said of one. */
  readonly fields: (errorOf: (field: string) => string | undefined) => ReactNode;
  /** Fields that show their own faults begin so; the others are told at the top. */
  readonly known: (field: string) => boolean;
  /** Beside the button that submits. */
  readonly aside?: ReactNode;
  /** What will come of it: picture, quota, code. */
  readonly outcome: ReactNode;
}

/** A form that is a page: left what is asked, right what will come of it, in step with each key pressed. */
export function Wizard<Data>(props: WizardProps<Data>) {
  const [fault, setFault] = useState<ApiFault>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const { data, error } = await props
      .submit()
      .catch((thrown: unknown) => ({ data: undefined, error: thrown }));
    setBusy(false);
    if (data !== undefined) return props.done(data);
    setFault(faultOf(error));
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const others = Object.entries(fault?.fields ?? {}).filter(([field]) => !props.known(field));
  return (
    <form ref={form} onSubmit={(event) => void send(event)}>
      <PageHead title={props.title} about={props.about} back={props.back} />
      <div className={styles.columns}>
        <div className={styles.fields}>
          {fault && (
            <div className={styles.fault}>
              <FaultNote fault={{ ...fault, fields: Object.fromEntries(others) }} />
            </div>
          )}
          {props.fields((field) => fault?.fields[field]?.join(', '))}
          <Group justify="space-between">
            {props.aside ?? <span />}
            <Button type="submit" loading={busy}>
              {props.title}
            </Button>
          </Group>
        </div>
        <div className={styles.outcome}>{props.outcome}</div>
      </div>
    </form>
  );
}

import { Button } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { FaultNote } from '../ui/fault.tsx';
import { focusFault, useSubmit } from '../ui/submit.ts';
import { useWindowTitle } from '../ui/window-title.ts';
import styles from './sign-in.module.css';

interface DoorProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** Of the button; none: there is nothing to send. */
  readonly verb?: string;
  /** @returns what was wrong, or undefined */
  readonly submit?: (form: FormData) => Promise<unknown>;
  readonly children?: ReactNode;
  readonly below?: ReactNode;
}

// Nothing that is sent here does harm when it is sent twice.
const AWAY = 'Virga does not answer. Send it again when it is back';

/** A page before the frame: signing in, a new password, an invitation. */
export function Door({ title, about, verb, submit, children, below }: DoorProps) {
  const { busy, fault, send } = useSubmit();
  const heading = useWindowTitle();
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const said = new FormData(form);
    const { error } = await send(async () => ({ error: await submit?.(said) }));
    if (error !== undefined) focusFault(form);
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={(event) => void enter(event)}>
        <img src="/icon.svg" alt="" width={36} height={36} />
        <h1 ref={heading}>{title}</h1>
        {about && <p>{about}</p>}
        {fault && <FaultNote fault={fault.unanswered ? { ...fault, message: AWAY } : fault} />}
        {children}
        {verb && (
          <Button type="submit" loading={busy} fullWidth>
            {verb}
          </Button>
        )}
        {below}
      </form>
    </main>
  );
}

export const LINK_EXPIRED = 'This link has expired. Request a new one.';

/** The token that a link carries behind #, which browsers keep to themselves. */
export const linkToken = (): string => decodeURIComponent(location.hash.slice(1));

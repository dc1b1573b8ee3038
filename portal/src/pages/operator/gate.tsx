import { Button, PasswordInput } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { operatorClient, setOperatorToken, useOperatorToken } from '../../api/operator.ts';
import { FaultNote } from '../../ui/fault.tsx';
import { Card, PageHead } from '../../ui/page.tsx';
import { focusFault, useSubmit } from '../../ui/submit.ts';
import styles from '../../ui/wizard.module.css';

/** Lets those in who have the operator's token. It is kept by this page alone, and gone when the page is. */
export function OperatorGate() {
  const token = useOperatorToken();
  if (token !== undefined) return <Outlet />;
  return (
    <>
      <PageHead
        title="Operator"
        about="For those who run this cloud. Your own sign-in does not reach here."
      />
      <OperatorToken />
    </>
  );
}

/** Makes a call with a token before this page accepts it as the operator's. */
async function tryToken(token: string) {
  const { error, response } = await operatorClient.GET('/virga/v1/clients', {
    params: { query: { limit: 1 } },
    headers: { Authorization: `APIKey ${token}` },
  });
  const refused = response.status === 401 || response.status === 403;
  return { error: error && refused ? { ...error, message: 'This is not an operator’s token' } : error };
}

/** Asks for the operator's token. */
export function OperatorToken() {
  const [value, setValue] = useState('');
  const { busy, fault, send } = useSubmit();
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { error } = await send(() => tryToken(value));
    if (error === undefined) setOperatorToken(value);
    else focusFault(form);
  };
  return (
    <Card title="Operator token">
      <form className={styles.body} onSubmit={(event) => void enter(event)} style={{ maxWidth: 420 }}>
        {fault && <FaultNote fault={fault} />}
        <PasswordInput
          label="Token"
          description="OPERATOR_TOKEN in the credentials of the first run. This page forgets it when it is closed."
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          autoComplete="off"
          required
        />
        <Button type="submit" loading={busy}>
          Continue
        </Button>
      </form>
    </Card>
  );
}

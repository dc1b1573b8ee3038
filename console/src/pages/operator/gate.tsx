import { Button, PasswordInput } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type ApiFault, faultOf } from '../../api/client.ts';
import { operatorClient, setOperatorToken, useOperatorToken } from '../../api/operator.ts';
import { FaultNote } from '../../ui/fault.tsx';
import { Card, PageHead } from '../../ui/page.tsx';
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

/** Asks for the operator's token. */
export function OperatorToken() {
  const [value, setValue] = useState('');
  const [fault, setFault] = useState<ApiFault>();
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    setOperatorToken(value);
    const { error, response } = await operatorClient.GET('/virga/v1/clients', {
      params: { query: { limit: 1 } },
    });
    if (!error) return;
    setOperatorToken(undefined);
    const refused = response.status === 401 || response.status === 403;
    setFault({ ...faultOf(error), ...(refused ? { message: 'This is not an operator’s token' } : {}) });
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
        <Button type="submit">Go on</Button>
      </form>
    </Card>
  );
}

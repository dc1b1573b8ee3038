import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { currentSession } from '../api/session.ts';
import { Enrol, EnrolPasskey } from '../pages/account/enrol.tsx';
import { useWindowTitle } from '../ui/window-title.ts';
import { whyNoPasskeys } from './passkeys.ts';
import { readSession, readSessionOnce } from './session.ts';
import styles from './sign-in.module.css';

/** Where everybody needs a second factor: the way in for somebody who has none yet. */
export function EnrolDoor() {
  const navigate = useNavigate();
  const heading = useWindowTitle();
  const [byPasskey, setByPasskey] = useState(false);
  const { to } = useSearch({ strict: false }) as { to?: string };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once, when the page opens
  useEffect(() => {
    const look = () => {
      if (currentSession().state === 'out') void navigate({ to: '/sign-in', replace: true });
    };
    // Where the server does not say who it is, the form does.
    void readSessionOnce().then(look, () => undefined);
  }, []);
  const enter = async () => {
    await readSession();
    await navigate({ to: to ?? '/', replace: true });
  };
  return (
    <main className={styles.page}>
      <div className={styles.form}>
        <img src="/icon.svg" alt="" width={36} height={36} />
        <h1 ref={heading}>Add a second factor</h1>
        <p>Everybody here signs in with a passkey, or with a password and a code of an authenticator app.</p>
        {byPasskey ? <EnrolPasskey done={() => void enter()} /> : <Enrol done={() => void enter()} />}
        {!byPasskey && whyNoPasskeys() === undefined && (
          <Button variant="default" onClick={() => setByPasskey(true)}>
            Add a passkey instead
          </Button>
        )}
      </div>
    </main>
  );
}

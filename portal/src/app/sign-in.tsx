import { Button, PasswordInput, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type ApiFault, client, faultOf } from '../api/client.ts';
import { FaultNote } from '../ui/fault.tsx';
import { Door, linkToken } from './door.tsx';
import { whyNoPasskeys, withPasskey } from './passkeys.ts';
import { readSession, signIn } from './session.ts';

const USED = 'This link has expired. Sign in with your password.';

/** The way in: with a password, or with a link that works once. */
export function SignIn() {
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false }) as { to?: string };
  const [fault, setFault] = useState<ApiFault>();
  const [askCode, setAskCode] = useState(false);
  const enter = () => navigate({ to: to ?? '/', replace: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is followed once, when the page opens
  useEffect(() => {
    const token = linkToken();
    if (!token) return;
    history.replaceState(null, '', location.pathname);
    void client.POST('/virga/v1/session/link', { body: { token } }).then(async ({ error, response }) => {
      if (error)
        return setFault({ ...faultOf(error), ...(response.status === 400 ? { message: USED } : {}) });
      await readSession();
      await enter();
    });
  }, []);
  const enterByPasskey = async () => {
    const { error } = await withPasskey((passkey) =>
      client.POST('/virga/v1/session/passkey', { body: { passkey } }),
    );
    if (error !== undefined) return setFault(faultOf(error));
    await readSession();
    await enter();
  };
  return (
    <Door
      title="Sign in to Virga"
      verb="Sign in"
      submit={async (form) => {
        const code = form.get('code');
        const error = await signIn({
          username: String(form.get('email')),
          password: String(form.get('password')),
          ...(code === null ? {} : { one_time_password: String(code) }),
        });
        if (error !== undefined) {
          const why = faultOf(error).fields.one_time_password;
          if (why && code === null) setAskCode(true);
          else return why ? { message: `The code ${why.join(', ')}` } : error;
          return undefined;
        }
        await enter();
      }}
      below={
        <>
          {whyNoPasskeys() === undefined && (
            <Button variant="default" fullWidth onClick={() => void enterByPasskey()}>
              Sign in with a passkey
            </Button>
          )}
          <Link className="link" to="/password/forgotten">
            Forgotten your password?
          </Link>
        </>
      }
    >
      {fault && <FaultNote fault={fault} />}
      <TextInput name="email" type="email" label="Email address" autoComplete="username" required autoFocus />
      <PasswordInput name="password" label="Password" autoComplete="current-password" required />
      {askCode && (
        <TextInput
          name="code"
          label="Code"
          description="That your authenticator app shows, or a recovery code"
          autoComplete="one-time-code"
          required
          autoFocus
        />
      )}
    </Door>
  );
}

import { Button, Group, MantineProvider, Modal, PasswordInput, Stack, TextInput } from '@mantine/core';
import { getNonce } from 'get-nonce';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { client, faultOf, queryClient } from '../api/client.ts';
import { currentSession, setSession } from '../api/session.ts';
import { FaultNote } from '../ui/fault.tsx';
import { focusFault, useSubmit } from '../ui/submit.ts';
import { whyNoPasskeys, withPasskey } from './passkeys.ts';
import { readSession, signIn } from './session.ts';
import { theme } from './theme.ts';

/** What gives lasting rights needs the password again, a while after the sign-in; and a session ends some day, maybe in
 *  the middle of a form. Both are asked over whatever is open, which stays as it is. */

/** How often a page that asks for the password looks whether somebody has signed in on another one. */
const LOOK_MS = 3_000;

let asking: Promise<boolean> | undefined;
let renewing: Promise<boolean> | undefined;

/** Asks for the password over whatever is open, which stays as it is. Calls that need it at once ask once. Its code
 *  is fetched when it is needed first, and stands outside of the pages.
 *  @returns whether it was given; false: the person would rather not */
export function passwordGiven(): Promise<boolean> {
  asking ??= ask((answer) => <PasswordAgain answer={answer} />).finally(() => {
    asking = undefined;
  });
  return asking;
}

/** Has the person sign in again whose session has ended. Calls that found out at once ask once.
 *  @returns whether they did; false: the page is left for that of the sign-in */
export function sessionRenewed(): Promise<boolean> {
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function renew(): Promise<boolean> {
  const before = currentSession();
  if (before.state !== 'in') return false;
  // Another tab may have signed in again.
  const isThere = await isSignedIn(before.email);
  if (isThere || (await ask((answer) => <SignInAgain email={before.email} answer={answer} />))) {
    void queryClient.invalidateQueries();
    return true;
  }
  setSession({ state: 'out' });
  location.assign(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
  return false;
}

/** Whether the browser has a session of this person; what this page shows is not for another one. */
async function isSignedIn(email: string): Promise<boolean> {
  const { data } = await client.GET('/virga/v1/session');
  if (!data) return false;
  await readSession();
  return data.email === email;
}

type Dialog = (answer: (given: boolean) => void) => ReactNode;

async function ask(dialog: Dialog): Promise<boolean> {
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  const given = await new Promise<boolean>((answer) => {
    root.render(
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => getNonce() ?? ''}>
        {dialog(answer)}
      </MantineProvider>,
    );
  });
  root.unmount();
  host.remove();
  return given;
}

// Escape closes every form that is open, unless it comes from something with this mark.
const alone = { 'data-mantine-stop-propagation': true };

function PasswordAgain({ answer }: { readonly answer: (given: boolean) => void }) {
  const { busy, fault, send } = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  const leave = () => answer(false);
  const confirm = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password'));
    const { error } = await send(() => client.POST('/virga/v1/session/confirm', { body: { password } }));
    if (error === undefined) answer(true);
    else focusFault(form.current);
  };
  const confirmByPasskey = async () => {
    const { error } = await send(() =>
      withPasskey((passkey) => client.POST('/virga/v1/session/confirm', { body: { passkey } })),
    );
    if (error === undefined) answer(true);
    else focusFault(form.current);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') leave();
  };
  const wrong = fault?.fields.password;
  return (
    <Modal opened onClose={leave} title="Your password, please" closeOnClickOutside={false}>
      <form ref={form} onSubmit={(event) => void confirm(event)} onKeyDown={onKeyDown}>
        <Stack gap="sm">
          {fault && !wrong && <FaultNote fault={fault} />}
          <p style={{ margin: 0 }}>
            What you are about to do changes who may use this account. You signed in some time ago: give your
            password once more, or a passkey.
          </p>
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            error={wrong?.join(', ')}
            required
            data-autofocus
            {...alone}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={leave} {...alone}>
              Cancel
            </Button>
            {whyNoPasskeys() === undefined && (
              <Button variant="default" onClick={() => void confirmByPasskey()} {...alone}>
                Use a passkey
              </Button>
            )}
            <Button type="submit" loading={busy} {...alone}>
              Continue
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface SignInAgainProps {
  readonly email: string;
  readonly answer: (given: boolean) => void;
}

function SignInAgain({ email, answer }: SignInAgainProps) {
  const { busy, fault, send } = useSubmit();
  const [askCode, setAskCode] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const look = () =>
      isSignedIn(email).then(
        (isIn) => isIn && answer(true),
        () => undefined,
      );
    // Nobody waits for a tab that is not seen, maybe for days.
    const timer = setInterval(() => void (document.hidden || look()), LOOK_MS);
    return () => clearInterval(timer);
  }, [email, answer]);
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget);
    const code = said.get('code');
    const body = {
      username: email,
      password: String(said.get('password')),
      ...(code === null ? {} : { one_time_password: String(code) }),
    };
    const { error } = await send(
      async () => {
        const refused = await signIn(body);
        // A right password may need a code beside it.
        const needsCode = code === null && refused !== undefined && faultOf(refused).fields.one_time_password;
        if (needsCode) setAskCode(true);
        return { error: needsCode ? undefined : refused, data: !needsCode && refused === undefined };
      },
      (isIn) => isIn && answer(true),
    );
    if (error !== undefined) focusFault(form.current);
  };
  const enterByPasskey = async () => {
    const { error } = await send(() =>
      withPasskey((passkey) => client.POST('/virga/v1/session/passkey', { body: { passkey } })),
    );
    if (error !== undefined) return focusFault(form.current);
    answer(await isSignedIn(email));
  };
  return (
    <Modal
      opened
      onClose={() => answer(false)}
      title="Your session has ended"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <form ref={form} onSubmit={(event) => void enter(event)}>
        <Stack gap="sm">
          {fault && <FaultNote fault={fault} />}
          <p style={{ margin: 0 }}>Sign in again as {email}. What you have typed stays, and is sent then.</p>
          <input type="hidden" name="username" autoComplete="username" value={email} />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            required
            data-autofocus
            {...alone}
          />
          {askCode && (
            <TextInput
              name="code"
              label="Code"
              description="That your authenticator app shows, or a recovery code"
              autoComplete="one-time-code"
              required
              autoFocus
              {...alone}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => answer(false)} {...alone}>
              Leave this page
            </Button>
            {whyNoPasskeys() === undefined && (
              <Button variant="default" onClick={() => void enterByPasskey()} {...alone}>
                Use a passkey
              </Button>
            )}
            <Button type="submit" loading={busy} {...alone}>
              Sign in
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

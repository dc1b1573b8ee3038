import { Button, Group, MantineProvider, Modal, PasswordInput, Stack } from '@mantine/core';
import { getNonce } from 'get-nonce';
import { type FormEvent, type KeyboardEvent, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from '../api/client.ts';
import { FaultNote } from '../ui/fault.tsx';
import { focusFault, useSubmit } from '../ui/submit.ts';
import { whyNoPasskeys, withPasskey } from './passkeys.ts';
import { theme } from './theme.ts';

/** What gives lasting rights needs the password again, a while after the sign-in. */

let asking: Promise<boolean> | undefined;

/** Asks for the password over whatever is open, which stays as it is. Calls that need it at once ask once. Its code
 *  is fetched when it is needed first, and stands outside of the pages.
 *  @returns whether it was given; false: the person would rather not */
export function passwordGiven(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

async function ask(): Promise<boolean> {
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  const given = await new Promise<boolean>((answer) => {
    root.render(
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => getNonce() ?? ''}>
        <PasswordAgain answer={answer} />
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

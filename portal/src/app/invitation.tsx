import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type ApiFault, client, faultOf, type Schemas } from '../api/client.ts';
import { FaultNote } from '../ui/fault.tsx';
import { refused } from '../ui/follow-task.tsx';
import { NewPasswordInput } from '../ui/new-password.tsx';
import { Door, LINK_EXPIRED, linkToken } from './door.tsx';

/** Where an invitation leads: what it is to, and yes or no. */
export function Invitation() {
  const [token, setToken] = useState(linkToken);
  const [shown, setShown] = useState<Schemas['ShownInvitation']>();
  const [fault, setFault] = useState<ApiFault>();
  const [requested, setRequested] = useState(0);
  const [answer, setAnswer] = useState<'accepted' | 'declined'>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked again when that is wished
  useEffect(() => {
    if (!token) return;
    void client.POST('/virga/v1/invitations/show', { body: { token } }).then(({ data, error }) => {
      setShown(data);
      setFault(error && faultOf(error));
    });
  }, [token, requested]);
  const toSignIn = (
    <Link className="link" to="/sign-in">
      Go to signing in
    </Link>
  );
  if (answer === 'declined') return <Door title="You have declined" about="Nothing else happens." />;
  if (answer === 'accepted') {
    return (
      <Door
        title={`Welcome to ${shown?.client_name}`}
        about={`Sign in as ${shown?.email}.`}
        below={toSignIn}
      />
    );
  }
  if (!shown) {
    return (
      <Door
        title="You are invited"
        {...(token ? {} : { verb: 'Continue' })}
        submit={async (form) => setToken(String(form.get('token')))}
        below={toSignIn}
      >
        {fault?.fields.token ? (
          <FaultNote fault={{ message: LINK_EXPIRED, fields: {}, requestId: undefined }} />
        ) : (
          fault && <FaultNote fault={fault} retry={() => setRequested(requested + 1)} />
        )}
        {!token && <TextInput name="token" label="Token of the mail" autoComplete="off" required autoFocus />}
      </Door>
    );
  }
  return (
    <Accept
      shown={shown}
      accept={async (form) => {
        const password = form.get('password');
        const name = form.get('name');
        const { error } = await client.POST('/virga/v1/invitations/accept', {
          body: {
            token,
            ...(password ? { password: String(password) } : {}),
            ...(name ? { name: String(name) } : {}),
          },
        });
        if (error) return error;
        setAnswer('accepted');
      }}
      decline={async () => {
        const { error } = await client.POST('/virga/v1/invitations/decline', { body: { token } });
        if (error) return refused('Decline the invitation', error);
        setAnswer('declined');
      }}
    />
  );
}

interface AcceptProps {
  readonly shown: Schemas['ShownInvitation'];
  readonly accept: (form: FormData) => Promise<unknown>;
  readonly decline: () => Promise<void>;
}

function Accept({ shown, accept, decline }: AcceptProps) {
  return (
    <Door
      title={`Join ${shown.client_name}`}
      about={`You are invited as one of its ${shown.user_role.name}, with the address ${shown.email}.`}
      verb="Accept"
      submit={accept}
      below={
        <Button variant="subtle" color="gray" onClick={() => void decline()}>
          Decline
        </Button>
      }
    >
      {!shown.has_account && (
        <>
          <TextInput name="name" label="Your name" autoComplete="name" autoFocus />
          <NewPasswordInput label="Password" />
        </>
      )}
    </Door>
  );
}

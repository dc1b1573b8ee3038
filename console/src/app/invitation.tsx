import { Button, PasswordInput, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type ApiFault, client, faultOf, type Schemas } from '../api/client.ts';
import { FaultNote } from '../ui/fault.tsx';
import { Door, linkToken } from './door.tsx';

const GONE = 'This invitation was used or revoked, or has expired. Ask who invited you for another.';

/** Where an invitation leads: what it is to, and yes or no. */
export function Invitation() {
  const [token, setToken] = useState(linkToken);
  const [shown, setShown] = useState<Schemas['ShownInvitation']>();
  const [fault, setFault] = useState<ApiFault>();
  const [answer, setAnswer] = useState<'accepted' | 'declined'>();
  useEffect(() => {
    if (!token) return;
    void client.POST('/virga/v1/invitations/show', { body: { token } }).then(({ data, error, response }) => {
      setShown(data);
      const gone = response.status < 500 ? { message: GONE } : {};
      setFault(error ? { ...faultOf(error), ...gone } : undefined);
    });
  }, [token]);
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
        {...(token ? {} : { verb: 'Go on' })}
        submit={async (form) => setToken(String(form.get('token')))}
        below={toSignIn}
      >
        {fault && <FaultNote fault={fault} />}
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
        await client.POST('/virga/v1/invitations/decline', { body: { token } });
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
          <PasswordInput
            name="password"
            label="Password"
            description="8 characters at least"
            autoComplete="new-password"
            minLength={8}
            required
          />
        </>
      )}
    </Door>
  );
}

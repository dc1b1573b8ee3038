import { Checkbox, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client, faultOf } from '../api/client.ts';
import { NewPasswordInput } from '../ui/new-password.tsx';
import { Door, LINK_EXPIRED, linkToken } from './door.tsx';

const toSignIn = (
  <Link className="link" to="/sign-in">
    Go to signing in
  </Link>
);

/** Asks for a mail with a link to a new password. */
export function ForgottenPassword() {
  const [sent, setSent] = useState<string>();
  if (sent !== undefined) {
    return (
      <Door
        title="Look at your mail"
        about={`If ${sent} has an account, a mail with a link is on its way. The link works for an hour.`}
        below={toSignIn}
      />
    );
  }
  return (
    <Door
      title="Forgotten your password?"
      about="We mail you a link, and you choose a new one."
      verb="Send the link"
      submit={async (form) => {
        const email = String(form.get('email'));
        const { error } = await client.POST('/iam/auth/password/forgot', { body: { email } });
        if (error) return error;
        setSent(email);
      }}
      below={toSignIn}
    >
      <TextInput name="email" type="email" label="Email address" autoComplete="username" required autoFocus />
    </Door>
  );
}

/** Where the mailed link leads: a new password. */
export function NewPassword() {
  const [done, setDone] = useState(false);
  const [token] = useState(linkToken);
  if (done) {
    return <Door title="Your password is set" about="You are signed out everywhere." below={toSignIn} />;
  }
  return (
    <Door
      title="Choose a new password"
      verb="Set the password"
      submit={async (form) => {
        const { error } = await client.POST('/virga/v1/password', {
          body: {
            token: token || String(form.get('token')),
            password: String(form.get('password')),
            end_tokens: form.get('end_tokens') !== null,
          },
        });
        if (error) return token && faultOf(error).fields.token ? { message: LINK_EXPIRED } : error;
        setDone(true);
      }}
      below={toSignIn}
    >
      {!token && <TextInput name="token" label="Token of the mail" autoComplete="off" required />}
      <NewPasswordInput label="New password" focus />
      <Checkbox
        name="end_tokens"
        label="End the API tokens that I have made, too"
        description="If somebody else may have had your password."
      />
    </Door>
  );
}

/** Where the mailed link leads: an address that is yours. */
export function ConfirmEmail() {
  const [email, setEmail] = useState<string>();
  const [token] = useState(linkToken);
  if (email)
    return (
      <Door title="Your address is confirmed" about={`Sign in as ${email} from now on.`} below={toSignIn} />
    );
  return (
    <Door
      title="Confirm your address"
      verb="Confirm"
      submit={async (form) => {
        const { data, error } = await client.POST('/virga/v1/email', {
          body: { token: token || String(form.get('token')) },
        });
        if (!data) return error;
        setEmail(data.email);
      }}
      below={toSignIn}
    >
      {!token && <TextInput name="token" label="Token of the mail" autoComplete="off" required />}
    </Door>
  );
}

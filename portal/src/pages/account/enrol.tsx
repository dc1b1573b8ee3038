import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { renderSVG } from 'uqr';
import { client, type Schemas } from '../../api/client.ts';
import { addPasskey } from '../../app/passkeys.ts';
import { CopyText } from '../../ui/copy.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { focusFault, useSubmit } from '../../ui/submit.ts';

interface EnrolProps {
  /** It counts from now on, and what was shown once is kept. */
  readonly done: () => void;
}

/** Adds a passkey: the browser makes it, and with the first second factor come recovery codes. */
export function EnrolPasskey({ done }: EnrolProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <ShownCodes codes={codes} done={done} />;
  return (
    <Step
      verb="Continue"
      call={(form) => addPasskey(String(form.get('name')))}
      accepted={(data) => {
        const all = (data as Schemas['RecoveryCodes']).recovery_codes;
        if (all.length > 0) setCodes(all);
        else done();
      }}
    >
      <p style={{ margin: 0 }}>
        Your browser will ask for your finger, face or PIN. From then on the passkey signs you in by itself.
      </p>
      <TextInput
        name="name"
        label="Name"
        description="Where the passkey is: your laptop, for example"
        defaultValue="laptop"
        maxLength={100}
        required
        data-autofocus
      />
    </Step>
  );
}

/** Adds an authenticator app: the picture for it, a code that it shows, and the recovery codes. */
export function Enrol({ done }: EnrolProps) {
  const [made, setMade] = useState<Schemas['NewAuthenticator']>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <ShownCodes codes={codes} done={done} />;
  if (made) {
    const finish = (all: readonly string[]) => (all.length > 0 ? setCodes(all) : done());
    return <Confirm made={made} done={finish} />;
  }
  return <Name done={setMade} />;
}

interface StepProps {
  readonly verb: string;
  /** @returns what the API answered */
  readonly call: (form: FormData) => Promise<{ readonly data?: unknown; readonly error?: unknown }>;
  readonly accepted: (data: unknown) => void;
  readonly children: ReactNode;
}

/** One step, with its button. */
function Step({ verb, call, accepted, children }: StepProps) {
  const { busy, fault, send } = useSubmit();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    const { data, error } = await send(() => call(given));
    if (error === undefined) accepted(data);
    else focusFault(form);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        {fault && <FaultNote fault={fault} />}
        {children}
        <Button type="submit" loading={busy}>
          {verb}
        </Button>
      </Stack>
    </form>
  );
}

function Name({ done }: { readonly done: (made: Schemas['NewAuthenticator']) => void }) {
  return (
    <Step
      verb="Continue"
      call={(form) =>
        client.POST('/virga/v1/second_factors/authenticators', { body: { name: String(form.get('name')) } })
      }
      accepted={(data) => done(data as Schemas['NewAuthenticator'])}
    >
      <TextInput
        name="name"
        label="Name"
        description="Where the app is: your phone, for example"
        defaultValue="phone"
        maxLength={100}
        required
        data-autofocus
      />
    </Step>
  );
}

interface ConfirmProps {
  readonly made: Schemas['NewAuthenticator'];
  readonly done: (codes: readonly string[]) => void;
}

function Confirm({ made, done }: ConfirmProps) {
  const picture = `data:image/svg+xml,${encodeURIComponent(renderSVG(made.uri))}`;
  return (
    <Step
      verb="Confirm"
      call={(form) =>
        client.POST('/virga/v1/second_factors/authenticators/{factor_id}/confirm', {
          params: { path: { factor_id: made.id } },
          body: { code: String(form.get('code')).replace(/\s/g, '') },
        })
      }
      accepted={(data) => done((data as Schemas['RecoveryCodes']).recovery_codes)}
    >
      <p style={{ margin: 0 }}>Scan the picture with your authenticator app, or type this secret into it.</p>
      <img src={picture} alt="What the app scans: the secret below" width={200} height={200} />
      <CopyText value={made.shared_secret} label="Copy the secret" />
      <TextInput
        name="code"
        label="Code"
        description="The six digits that the app shows now"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
      />
    </Step>
  );
}

/** Recovery codes, the one time that they are shown. */
export function ShownCodes({ codes, done }: { readonly codes: readonly string[] } & EnrolProps) {
  return (
    <Stack gap="sm">
      <p style={{ margin: 0 }}>
        If you lose what you sign in with, each of these recovery codes lets you sign in once. They are shown
        this once: keep them where your password is.
      </p>
      <ul aria-label="Recovery codes" style={{ margin: 0, paddingLeft: 18, columns: 2 }}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyText value={codes.join('\n')} shown="All of them" label="Copy all recovery codes" />
      <Button onClick={done}>I have kept them</Button>
    </Stack>
  );
}

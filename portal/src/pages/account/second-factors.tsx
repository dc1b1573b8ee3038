import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiCall, client, refresh, type Schemas } from '../../api/client.ts';
import { whyNoPasskeys } from '../../app/passkeys.ts';
import { useDelete } from '../../ui/delete-action.tsx';
import { refused } from '../../ui/follow-task.tsx';
import { type Column, ListPage } from '../../ui/list-page.tsx';
import { Time } from '../../ui/time.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import { Enrol, EnrolPasskey, ShownCodes } from './enrol.tsx';

const FACTORS = '/virga/v1/second_factors';

type Factor = Schemas['SecondFactor'];

const KINDS: Readonly<Record<Factor['kind'], string>> = { totp: 'Authenticator app', passkey: 'Passkey' };

const COLUMNS: readonly Column<Factor>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Kind', cell: ({ kind }) => KINDS[kind] },
  { label: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
];

/** What the person signs in with beside the password. */
export function SecondFactors() {
  const factors = useQuery(api.queryOptions('get', FACTORS));
  const [adding, setAdding] = useState<Factor['kind']>();
  const [codes, setCodes] = useState<readonly string[]>();
  const remove = useDelete<Factor>({
    kind: 'second factor',
    nameOf: ({ name }) => name,
    consequences: () => 'Without any, your password is enough to sign in.',
    call: ({ id }) => apiCall('delete', `${FACTORS}/{factor_id}`, { params: { path: { factor_id: id } } }),
    deleted: refresh,
  });
  const renew = async () => {
    const { data, error } = await client.POST(`${FACTORS}/recovery_codes`);
    if (error) return refused('Make recovery codes', error);
    setCodes(data?.recovery_codes);
  };
  const close = () => {
    setAdding(undefined);
    setCodes(undefined);
    refresh();
  };
  const left = factors.data?.recovery_codes_left;
  return (
    <>
      <ListPage<Factor>
        title="Second factors"
        about={`With one, your password alone lets nobody in.${left ? ` You have ${left} recovery codes left.` : ''}`}
        result={factors}
        columns={COLUMNS}
        actions={[remove.action]}
        empty={{
          title: 'No second factor',
          about: 'Whoever has your password can sign in. Add a passkey or an authenticator app.',
        }}
        head={
          <>
            <VerbButton
              variant="default"
              why={
                factors.data?.count ? undefined : 'Recovery codes stand for a second factor: add one first'
              }
              onClick={() => void renew()}
            >
              New recovery codes…
            </VerbButton>
            <VerbButton variant="default" why={whyNoPasskeys()} onClick={() => setAdding('passkey')}>
              Add passkey…
            </VerbButton>
            <Button onClick={() => setAdding('totp')}>Add authenticator app…</Button>
          </>
        }
      />
      {remove.dialog}
      <Modal
        opened={adding === 'totp'}
        onClose={close}
        title="Add authenticator app"
        closeOnClickOutside={false}
      >
        <Enrol done={close} />
      </Modal>
      <Modal opened={adding === 'passkey'} onClose={close} title="Add passkey" closeOnClickOutside={false}>
        <EnrolPasskey done={close} />
      </Modal>
      <Modal
        opened={codes !== undefined}
        onClose={close}
        title="New recovery codes"
        closeOnClickOutside={false}
      >
        <ShownCodes codes={codes ?? []} done={close} />
      </Modal>
    </>
  );
}

import { Modal, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { faultOf } from '../../../api/client.ts';
import { CopyText } from '../../../ui/copy.tsx';
import { FaultNote } from '../../../ui/fault.tsx';
import { optionsOf } from '../../../ui/options.ts';
import { type BucketOf, sign } from './s3.ts';

const TIMES = optionsOf({ '900': '15 minutes', '3600': 'An hour', '86400': 'A day', '604800': 'A week' });

interface LinkDialogProps {
  readonly of: BucketOf;
  readonly objectKey: string;
  readonly close: () => void;
}

/** An address that downloads an object without a key, for a time. */
export function LinkDialog({ of, objectKey: key, close }: LinkDialogProps) {
  const [seconds, setSeconds] = useState('3600');
  const link = useQuery({
    queryKey: ['link to', of.storage, of.bucket, key, seconds],
    queryFn: () => sign(of, { method: 'GET', key }, Number(seconds)),
    refetchInterval: false,
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Modal opened onClose={close} title={`Share ${key.split('/').at(-1)}`} size="lg">
      <Select
        label="It works for"
        data={TIMES}
        value={seconds}
        onChange={(value) => setSeconds(value ?? '3600')}
        allowDeselect={false}
        data-autofocus
      />
      <p>Whoever has the link can download the object. Deleting the access key of the storage ends it.</p>
      {link.error ? (
        <FaultNote fault={faultOf(link.error)} retry={() => void link.refetch()} />
      ) : (
        link.data && <CopyText value={link.data.url} label="Copy link" />
      )}
    </Modal>
  );
}

import { Button, Modal, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { faultOf } from '../../../api/client.ts';
import { bytes } from '../../../ui/bytes.ts';
import { FaultNote } from '../../../ui/fault.tsx';
import { refused } from '../../../ui/follow-task.tsx';
import styles from './objects.module.css';
import { addressOf, ask, type BucketOf, download } from './s3.ts';

/** So much of a text is shown. */
const TEXT_BYTES = 65_536;
const KINDS: readonly (readonly [kind: 'image' | 'video' | 'audio' | 'text', names: RegExp])[] = [
  ['image', /\.(avif|gif|ico|jpe?g|png|svg|webp)$/i],
  ['video', /\.(mp4|m4v|mov|webm)$/i],
  ['audio', /\.(aac|flac|m4a|mp3|ogg|opus|wav)$/i],
  ['text', /\.(c|conf|css|csv|go|html?|ini|js|json|log|md|py|rs|sh|sql|toml|ts|tsx|txt|xml|ya?ml)$/i],
];

interface PreviewProps {
  readonly of: BucketOf;
  readonly object: { readonly key: string; readonly name: string; readonly size?: number };
  readonly close: () => void;
}

/** An object as far as a browser shows its kind. It runs nothing of what is in it. */
export function Preview({ of, object: { key, name, size = 0 }, close }: PreviewProps) {
  const kind = KINDS.find(([, names]) => names.test(name))?.[0];
  const shown = useQuery({
    queryKey: ['preview', of.storage, of.bucket, key],
    queryFn: async () => (kind === 'text' ? textOf(of, key, size) : addressOf(of, key)),
    enabled: kind !== undefined,
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data, error } = shown;
  return (
    <Modal opened onClose={close} title={name} size="xl">
      {kind === undefined ? (
        <p>A browser does not show this kind of file.</p>
      ) : error ? (
        <FaultNote fault={faultOf(error)} retry={() => void shown.refetch()} />
      ) : data === undefined ? (
        <Skeleton height={240} />
      ) : kind === 'image' ? (
        <img className={styles.shown} src={data} alt={name} />
      ) : kind === 'video' ? (
        // biome-ignore lint/a11y/useMediaCaption: what a tenant has stored has none
        <video className={styles.shown} src={data} controls />
      ) : kind === 'audio' ? (
        // biome-ignore lint/a11y/useMediaCaption: what a tenant has stored has none
        <audio className={styles.shown} src={data} controls />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className={styles.text} tabIndex={0}>
          {data}
        </pre>
      )}
      {kind === 'text' && size > TEXT_BYTES && (
        <p>
          The first {bytes(TEXT_BYTES)} of {bytes(size)}.
        </p>
      )}
      <Button
        mt="md"
        variant="default"
        onClick={() => void download(of, key).catch((fault) => refused('Download', fault))}
      >
        Download
      </Button>
    </Modal>
  );
}

async function textOf(of: BucketOf, key: string, size: number): Promise<string> {
  // Of an empty object no range can be asked for.
  if (size === 0) return '';
  const answer = await ask(of, { method: 'GET', key }, { headers: { range: `bytes=0-${TEXT_BYTES - 1}` } });
  return answer.text();
}

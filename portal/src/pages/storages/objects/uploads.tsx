import { Button } from '@mantine/core';
import { useState } from 'react';
import { faultOf, wordsOf } from '../../../api/client.ts';
import { bytes } from '../../../ui/bytes.ts';
import styles from './objects.module.css';
import type { BucketOf } from './s3.ts';
import { upload } from './upload.ts';

interface Going {
  readonly key: string;
  readonly size: number;
  readonly sent: number;
  /** Why it failed. */
  readonly fault?: string;
  readonly cancel: () => void;
}

export interface UploadsState {
  readonly going: readonly Going[];
  readonly add: (files: readonly File[], prefix: string) => void;
  readonly forget: (key: string) => void;
}

/** Files that are on their way to a bucket, one after the other. What has arrived is gone from the list.
 *  @param arrived called after each */
export function useUploads(of: BucketOf, arrived: () => void): UploadsState {
  const [going, setGoing] = useState<readonly Going[]>([]);
  const change = (key: string, next: Partial<Going>) =>
    setGoing((all) => all.map((one) => (one.key === key ? { ...one, ...next } : one)));
  const forget = (key: string) => setGoing((all) => all.filter((one) => one.key !== key));
  const send = async (file: File, key: string, { signal }: AbortController) => {
    try {
      await upload({ of, key, file, signal, sent: (sent) => change(key, { sent }) });
      forget(key);
      arrived();
    } catch (error) {
      if (signal.aborted) forget(key);
      else change(key, { fault: wordsOf(faultOf(error)) });
    }
  };
  const add = (files: readonly File[], prefix: string) => {
    const all = files.map((file) => ({ file, key: `${prefix}${file.name}`, stop: new AbortController() }));
    setGoing((before) => [
      ...before.filter(({ key }) => all.every((one) => one.key !== key)),
      ...all.map(({ file, key, stop }) => ({ key, size: file.size, sent: 0, cancel: () => stop.abort() })),
    ]);
    void (async () => {
      for (const { file, key, stop } of all) {
        if (stop.signal.aborted) forget(key);
        else await send(file, key, stop);
      }
    })();
  };
  return { going, add, forget };
}

/** How far each is. */
export function Uploads({ uploads: { going, forget } }: { readonly uploads: UploadsState }) {
  if (going.length === 0) return null;
  return (
    <ul className={styles.uploads} aria-label="Uploads">
      {going.map(({ key, size, sent, fault, cancel }) => (
        <li key={key} className={styles.upload}>
          <span className={styles.name}>{key}</span>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={fault ? `Close ${key}` : `Cancel ${key}`}
            onClick={fault ? () => forget(key) : cancel}
          >
            {fault ? 'Close' : 'Cancel'}
          </Button>
          {fault ? (
            <span role="alert" className={styles.failed}>
              {fault}
            </span>
          ) : (
            <>
              <progress max={Math.max(size, 1)} value={sent} aria-label={`Upload of ${key}`} />
              <span>
                {bytes(Math.min(sent, size))} of {bytes(size)}
              </span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

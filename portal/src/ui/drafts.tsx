import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';

/** What was typed into forms that were left without sending. It stays in the memory of the page alone: there may be
 *  secrets in it, which no storage of the browser is to hold. */
const drafts = new Map<string, unknown>();

/** Who signs in next is to find nothing of it. */
export const forgetDrafts = (): void => drafts.clear();

export interface KeptDraft<Draft> {
  readonly value: Draft;
  readonly set: (change: (before: Draft) => Draft) => void;
  /** It was sent, or given up: the next form of this kind begins anew. */
  readonly forget: () => void;
  /** Begins anew at once; absent: it has. */
  readonly startOver?: () => void;
}

/** What a form has so far, which is there again when somebody comes back to it.
 *  @param key of the form; undefined: it is not kept
 *  @param isWorth whether something in it was typed */
export function useDraft<Draft>(
  key: string | undefined,
  initial: () => Draft,
  isWorth: (draft: Draft) => boolean = () => true,
): KeptDraft<Draft> {
  const [start] = useState(() => (key === undefined ? undefined : (drafts.get(key) as Draft | undefined)));
  const [isOld, setOld] = useState(start !== undefined);
  const [value, setValue] = useState<Draft>(() => start ?? initial());
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (key === undefined || !isChanged) return;
    if (isWorth(value)) drafts.set(key, value);
    else drafts.delete(key);
  }, [key, value, isChanged, isWorth]);
  const forget = () => {
    setChanged(false);
    if (key !== undefined) drafts.delete(key);
  };
  const startOver = () => {
    forget();
    setOld(false);
    setValue(initial());
  };
  return {
    value,
    set: (change) => {
      setChanged(true);
      setValue(change);
    },
    forget,
    ...(isOld ? { startOver } : {}),
  };
}

/** Says that a form holds what was typed before, and lets begin anew. */
export function DraftNote({ startOver }: Pick<KeptDraft<unknown>, 'startOver'>) {
  if (!startOver) return null;
  return (
    <p role="status" style={{ margin: 0, fontSize: 13 }}>
      What you typed before is still here.{' '}
      <Button size="compact-xs" variant="subtle" onClick={startOver}>
        Start over
      </Button>
    </p>
  );
}

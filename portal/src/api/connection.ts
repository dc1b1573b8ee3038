import { useSyncExternalStore } from 'react';

/** Whether the server answers, and if not, since when. */
export interface Connection {
  readonly awaySince: number | undefined;
}

const LOOK_EVERY_MS = 2_000;

let connection: Connection = { awaySince: undefined };
const listeners = new Set<() => void>();
const onReturn = new Set<() => void>();

function set(next: Connection): void {
  connection = next;
  for (const listener of listeners) listener();
}

/** Reports how a call ended: its status, or 0 when there was no answer. */
export function noteAnswer(status: number): void {
  const away = status === 0 || status === 502 || status === 503 || status === 504;
  if (away && connection.awaySince === undefined) {
    set({ awaySince: Date.now() });
    void waitForReturn();
  }
  if (!away && connection.awaySince !== undefined) back();
}

/** Calls `listener` whenever the server is there again. */
export function whenBack(listener: () => void): () => void {
  onReturn.add(listener);
  return () => onReturn.delete(listener);
}

function back(): void {
  set({ awaySince: undefined });
  for (const listener of onReturn) listener();
}

/** What an answer of `/readyz` says. It is read, since one that no cache keeps holds its connection until then. */
export const isReady = (response: Response): Promise<boolean> => response.text().then(() => response.ok);

async function waitForReturn(): Promise<void> {
  while (connection.awaySince !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const ready = await fetch('/readyz').then(isReady, () => false);
    if (ready && connection.awaySince !== undefined) back();
  }
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}

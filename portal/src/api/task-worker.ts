import { readTasks } from './task-stream.ts';
import type { Change } from './touched.ts';

/** Reads the event stream of tasks once for all tabs: a browser allows six connections to a server, and each tab with a
 *  stream of its own would hold one. */

/** What a tab says: that it listens for a session, or that it is left. */
export type FromTab = { readonly join: string } | { readonly leave: true };
/** What tabs are told: whether the stream is open, a task, or what changed without one. */
export type ToTab = { readonly open: boolean } | { readonly task: unknown } | { readonly change: Change };

interface Scope {
  onconnect: (event: MessageEvent) => void;
}

const tabs = new Set<MessagePort>();
/** Whose session the stream was opened with. */
let session: string | undefined;
let isOpen = false;
let stop = () => {};

const tell = (message: ToTab) => {
  for (const tab of tabs) tab.postMessage(message);
};

function end(): void {
  stop();
  stop = () => {};
  session = undefined;
  isOpen = false;
}

function join(tab: MessagePort, requested: string): void {
  tabs.add(tab);
  if (session === requested) {
    if (isOpen) tab.postMessage({ open: true } satisfies ToTab);
    return;
  }
  end();
  session = requested;
  stop = readTasks({
    opened: () => {
      isOpen = true;
      tell({ open: true });
    },
    lost: () => {
      isOpen = false;
      tell({ open: false });
    },
    heard: (task) => tell({ task }),
    changed: (change) => tell({ change }),
  });
}

function leave(tab: MessagePort): void {
  tabs.delete(tab);
  if (tabs.size === 0) end();
}

(globalThis as unknown as Scope).onconnect = ({ ports: [tab] }) => {
  if (!tab) return;
  tab.onmessage = ({ data }: MessageEvent<FromTab>) => ('join' in data ? join(tab, data.join) : leave(tab));
};

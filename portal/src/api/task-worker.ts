import { readTasks } from './task-stream.ts';

/** Reads the event stream of tasks once for all tabs: a browser allows six connections to a server, and each tab with a
 *  stream of its own would hold one. */

/** What a tab says: that it listens for a session, or that it is left. */
export type FromTab = { readonly join: string } | { readonly leave: true };
/** What tabs are told: that the stream is open, or a task. */
export type ToTab = { readonly opened: true } | { readonly task: unknown };

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
    if (isOpen) tab.postMessage({ opened: true } satisfies ToTab);
    return;
  }
  end();
  session = requested;
  stop = readTasks({
    opened: () => {
      isOpen = true;
      tell({ opened: true });
    },
    heard: (task) => tell({ task }),
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

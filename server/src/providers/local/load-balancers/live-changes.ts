import type { Rendering } from './config/rendering.ts';
import { type MemberChanges, planMemberChanges } from './member-changes.ts';
import type { RuntimeSocket } from './runtime-socket.ts';
import { digest, type SavedState } from './state.ts';

const SUCCESS = /^$|^New server registered\.$|^Transaction (created|updated)|Success!$/;

export interface LiveChanges extends MemberChanges {
  readonly certificates: readonly { readonly path: string; readonly content: string }[];
}

/** The commands for a running process to serve `rendering` instead of what it serves, or null: the
 *  two differ in more than commands can change. */
export function planLiveChanges(
  before: Pick<SavedState, 'skeleton' | 'files' | 'backends'>,
  rendering: Pick<Rendering, 'skeleton' | 'files' | 'backends'>,
): LiveChanges | null {
  if (before.skeleton !== digest(rendering.skeleton)) return null;
  const changed = rendering.files.filter(({ path, content }) => before.files[path] !== digest(content));
  if (changed.some(({ path, swappable }) => !swappable || before.files[path] === undefined)) return null;
  const members = planMemberChanges(before.backends, rendering.backends);
  return members && { ...members, certificates: changed };
}

/** Sends the commands to the process. @returns false when it refused something: then only a reload makes it right */
export async function applyLiveChanges(socket: RuntimeSocket, changes: LiveChanges): Promise<boolean> {
  for (const { path, content } of changes.certificates) {
    const name = path.replaceAll(/[\\ ;]/g, (character) => `\\${character}`);
    if (!SUCCESS.test(await socket.command(`set ssl cert ${name}`, content))) return false;
    if (!SUCCESS.test(await socket.command(`commit ssl cert ${name}`))) return false;
  }
  for (const command of changes.commands) {
    if (!SUCCESS.test(await socket.command(command))) return false;
  }
  return true;
}

/** Deletes members that have left and have no connection any more; the others are tried again later.
 *  @returns those that are still there */
export async function deleteDeparted(socket: RuntimeSocket, departed: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const name of departed) {
    const answer = await socket.command(`del server ${name}`);
    const gone = answer.startsWith('Server deleted') || answer.includes('No such server');
    if (!gone) left.push(name);
  }
  return left;
}

/** Ends the connections of listeners that are no longer served, in a process that is draining. */
export async function endSessionsOf(socket: RuntimeSocket, frontends: ReadonlySet<string>): Promise<void> {
  const dump = await socket.command('show sess');
  for (const line of dump.split('\n')) {
    const found = /^(0x[0-9a-f]+): .*\bfe=(\S+)/.exec(line);
    if (found?.[1] && frontends.has(found[2] ?? '')) await socket.command(`shutdown session ${found[1]}`);
  }
}

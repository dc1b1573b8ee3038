import { escapeCommandWord } from '../host/quoting.ts';
import type { RenderedBackend, RenderedServer } from './config/rendering.ts';

export interface MemberChanges {
  /** Commands for the runtime socket, in their order. */
  readonly commands: readonly string[];
  /** `backend/server` of members that have left and can be deleted once their connections ended. */
  readonly departed: readonly string[];
}

/** How to get a running process from one set of members to another, or null: only a reload can.
 *  @param before what the process serves; @param after what it shall serve */
export function planMemberChanges(
  before: readonly RenderedBackend[],
  after: readonly RenderedBackend[],
): MemberChanges | null {
  const commands: string[] = [];
  const departed: string[] = [];
  if (before.length !== after.length) return null;
  for (const [index, next] of after.entries()) {
    const previous = before[index];
    if (previous?.name !== next.name || previous.dynamicCookieKey !== next.dynamicCookieKey) return null;
    const known = new Map(previous.servers.map((server) => [server.name, server]));
    for (const server of next.servers) {
      const change = planMember(next, known.get(server.name), server);
      if (change === null) return null;
      commands.push(...change);
      known.delete(server.name);
    }
    for (const server of known.values()) {
      const name = `${next.name}/${server.name}`;
      commands.push(`set server ${name} state drain`, `set server ${name} state maint`);
      // A member that leaves finishes what it has begun; a pool that is switched off does not.
      if (previous.enabled && !next.enabled) commands.push(`shutdown sessions server ${name}`);
      departed.push(name);
    }
  }
  return { commands, departed };
}

function planMember(
  backend: RenderedBackend,
  before: RenderedServer | undefined,
  after: RenderedServer,
): string[] | null {
  const name = `${backend.name}/${after.name}`;
  if (!before) return planArrival(backend, after, name);
  const sameKind =
    before.address === after.address &&
    before.checked === after.checked &&
    before.probed === after.probed &&
    before.options.join('\0') === after.options.join('\0');
  if (!sameKind) return null;
  return [
    ...(before.weight === after.weight ? [] : [`set server ${name} weight ${after.weight}`]),
    ...(before.enabled === after.enabled
      ? []
      : [`set server ${name} state ${after.enabled ? 'ready' : 'maint'}`]),
  ];
}

function planArrival(backend: RenderedBackend, server: RenderedServer, name: string): string[] {
  const words = [server.address, 'weight', `${server.weight}`, ...server.options].map(escapeCommandWord);
  const key = backend.dynamicCookieKey;
  return [
    `add server ${name} ${words.join(' ')}`,
    // A new server gets its cookie only when the key is set (again).
    ...(key === null ? [] : [`set dynamic-cookie-key backend ${backend.name} ${key}`]),
    ...(server.checked ? [`enable health ${name}`] : []),
    ...(server.enabled ? [`enable server ${name}`] : []),
  ];
}

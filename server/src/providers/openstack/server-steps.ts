import type { DesiredInstance } from '../../features/instances/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';

/** What a server of Nova is, and what it is to be: the next call that brings it there. */

export interface Server {
  readonly id: string;
  readonly status: string;
  readonly 'OS-EXT-STS:task_state': string | null;
  readonly fault?: { readonly message: string };
  /** Nova names it, and does not say its id. */
  readonly flavor: { readonly original_name: string };
  readonly 'os-extended-volumes:volumes_attached': readonly { readonly id: string }[];
  readonly server_groups?: readonly string[];
}

export interface ServerGoal {
  readonly flavorId: string;
  readonly flavorName: string;
  readonly power: DesiredInstance['power'];
  /** Whether it is to be started anew. */
  readonly restarts: boolean;
  readonly isSoft: boolean;
  /** Whether this operation has tried to bring it back from ERROR. */
  readonly hasRevived: boolean;
  /** The cloud's ids. */
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
}

export interface ServerCall {
  /** null: nothing but time is needed. */
  readonly method: 'POST' | 'DELETE' | null;
  /** Below the server's. */
  readonly path: string;
  readonly body?: object;
  readonly says: string;
  /** It is the restart that was asked for. */
  readonly restarts?: true;
  readonly revives?: true;
  readonly resizes?: true;
}

const act = (action: object, says: string): ServerCall => ({
  method: 'POST',
  path: '/action',
  body: action,
  says,
});
const restart = (action: object): ServerCall =>
  Object.assign(act(action, 'it restarts'), { restarts: true as const });
const wait = (says: string): ServerCall => ({ method: null, path: '', says });

const HARD = { reboot: { type: 'HARD' } };
const RESTING = ['ACTIVE', 'SHUTOFF', 'SUSPENDED', 'PAUSED', 'VERIFY_RESIZE', 'ERROR'];

/** @param ports the cloud's ids of those that it has
 *  @returns null: it is as desired
 *  @throws TaskFailed when it cannot become so */
export function nextOf(goal: ServerGoal, server: Server, ports: readonly string[]): ServerCall | null {
  const { status } = server;
  if (server['OS-EXT-STS:task_state'] !== null || !RESTING.includes(status))
    return wait(`the instance is ${server['OS-EXT-STS:task_state'] ?? status}`);
  if (status === 'ERROR') return revive(goal, server);
  const hasFlavor = server.flavor.original_name === goal.flavorName;
  if (status === 'VERIFY_RESIZE')
    return hasFlavor
      ? act({ confirmResize: null }, 'the resize is confirmed')
      : act({ revertResize: null }, 'the resize is reverted');
  if (!hasFlavor) return resize(goal, status);
  return attached(goal, server, ports) ?? powered(goal, status);
}

function revive({ hasRevived }: ServerGoal, { fault }: Server): ServerCall {
  if (hasRevived)
    throw new TaskFailed(`The instance is in ERROR in the cloud: ${fault?.message ?? 'no reason'}`);
  return Object.assign(restart(HARD), { revives: true as const });
}

/** Nova resizes what runs or is stopped. */
function resize({ flavorId }: ServerGoal, status: string): ServerCall {
  if (status === 'SUSPENDED') return act({ resume: null }, 'it resumes');
  if (status === 'PAUSED') return act({ unpause: null }, 'it resumes');
  const call = act({ resize: { flavorRef: flavorId } }, 'it is resized');
  return Object.assign(call, { resizes: true as const });
}

function attached(goal: ServerGoal, server: Server, ports: readonly string[]): ServerCall | undefined {
  const missing = goal.ports.find((port) => !ports.includes(port));
  const surplus = ports.find((port) => !goal.ports.includes(port));
  if (surplus !== undefined)
    return { method: 'DELETE', path: `/os-interface/${surplus}`, says: 'an interface is detached' };
  if (missing !== undefined) {
    const body = { interfaceAttachment: { port_id: missing } };
    return { method: 'POST', path: '/os-interface', body, says: 'an interface is attached' };
  }
  const has = server['os-extended-volumes:volumes_attached'].map(({ id }) => id);
  const extra = has.find((volume) => !goal.volumes.includes(volume));
  if (extra !== undefined)
    return { method: 'DELETE', path: `/os-volume_attachments/${extra}`, says: 'a volume is detached' };
  const absent = goal.volumes.find((volume) => !has.includes(volume));
  if (absent === undefined) return undefined;
  const body = { volumeAttachment: { volumeId: absent, delete_on_termination: false } };
  return { method: 'POST', path: '/os-volume_attachments', body, says: 'a volume is attached' };
}

const START = { 'os-start': null };

function powered({ power, restarts, isSoft }: ServerGoal, status: string): ServerCall | null {
  if (restarts && status === 'SHUTOFF') return restart(START);
  if (restarts) return restart(isSoft && status === 'ACTIVE' ? { reboot: { type: 'SOFT' } } : HARD);
  if (status === 'PAUSED') return act({ unpause: null }, 'it resumes');
  if (status === 'ACTIVE' && power === 'stopped') return act({ 'os-stop': null }, 'it stops');
  if (status === 'ACTIVE' && power === 'suspended') return act({ suspend: null }, 'it is suspended');
  if (status === 'SUSPENDED' && power !== 'suspended') return act({ resume: null }, 'it resumes');
  if (status === 'SHUTOFF' && power !== 'stopped') return act(START, 'it starts');
  return null;
}

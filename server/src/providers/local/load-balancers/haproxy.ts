import { dirname } from 'node:path';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readText } from '../../../kernel/files.ts';
import { type ProcessIdentity, processOf } from '../../../kernel/processes.ts';
import { holderOf } from '../addresses/sockets.ts';
import { makeDirectoryOfEngine, makeFileOfEngine } from '../host/files.ts';
import { startLogWriter } from '../host/log-writer.ts';
import type { Capability } from '../host/privileges.ts';
import { run } from '../host/programs.ts';
import { MATCH_LIMIT } from '../host/quoting.ts';
import { portInUse } from './bind-probe.ts';
import type { Paths } from './paths.ts';

/** To open ports below 1024, and to lock itself into an empty directory. */
const CAPABILITIES: readonly Capability[] = ['net_bind_service', 'sys_chroot'];

/** HAProxy would not start because of what its configuration says. */
export class ConfigurationRefused extends Error {}

/** Asks HAProxy whether it could run this configuration.
 *  @throws ConfigurationRefused with what it said */
export async function checkConfiguration(program: string, path: string, home: string): Promise<void> {
  const { exitCode, output } = await run(program, ['-c', '-f', path], { home, capabilities: CAPABILITIES });
  if (exitCode !== 0) throw new ConfigurationRefused(output);
}

/** HAProxy's first complaint in the user's terms, without its line numbers and our file names.
 *  @param origins what each line is for, to say where the fault is */
export function objection(output: string, origins: readonly (string | undefined)[]): string {
  const alerts = output.split('\n').filter((line) => line.startsWith('[ALERT]'));
  for (const alert of alerts) {
    const found = /parsing \[[^\]]*:(\d+)\] ?: (.*)$/.exec(alert);
    const origin = found ? origins[Number(found[1]) - 1] : undefined;
    if (!found || !origin) continue;
    const why = withoutLimit(found[2] ?? '').replace(
      /^error detected while parsing (an )?ACL '[^']*' : /,
      '',
    );
    return `${origin} is not accepted by HAProxy: ${why.replace(/\.+$/, '')}`;
  }
  const plain = alerts[0]?.replace(/^\[ALERT\]\s*\(\d+\) : (config : )?/, '') ?? output.trim().slice(0, 300);
  return `The configuration is not accepted by HAProxy: ${plain}`;
}

/** What it says of an expression, without the limit that we put before it. */
function withoutLimit(text: string): string {
  if (!text.includes(MATCH_LIMIT)) return text;
  const at = (offset: string) => `erroffset=${Number(offset) - MATCH_LIMIT.length}`;
  return text.replace(MATCH_LIMIT, '').replace(/erroffset=(\d+)/, (_, offset) => at(offset));
}

/** Starts a process from the configuration file, in the background. With `predecessor` it takes over
 *  the open ports and lets the predecessor finish what it has begun, so that no request is lost.
 *  @throws TaskFailed when a port cannot be bound
 *  @throws ConfigurationRefused when it would not even begin */
export async function startProcess(
  program: string,
  paths: Paths,
  predecessor: { readonly process: ProcessIdentity; readonly socket: string } | null,
  logging: boolean,
): Promise<ProcessIdentity> {
  const takeOver = predecessor ? ['-x', predecessor.socket, '-sf', `${predecessor.process.pid}`] : [];
  const words = ['-D', '-p', paths.pidFile, '-f', paths.config, ...takeOver];
  makeDirectoryOfEngine(dirname(paths.socket), paths.directory);
  makeFileOfEngine(paths.pidFile, paths.directory);
  const log = logging ? startLogWriter(paths.accessLog, paths.directory) : undefined;
  try {
    const { exitCode, output } = await run(program, words, {
      home: paths.directory,
      paths: [paths.socket],
      inherited: log,
      capabilities: CAPABILITIES,
    });
    if (exitCode !== 0) throw startFailure(output);
  } finally {
    // HAProxy has its own end by now; the writer ends with the last process that has one.
    log?.destroy();
  }
  const identity = runningProcess(paths);
  if (!identity) throw new Error('HAProxy ended right after its start');
  return identity;
}

/** The process that the pid file names, if it is alive and really runs our configuration. */
export function runningProcess(paths: Paths): ProcessIdentity | null {
  const pid = Number(readText(paths.pidFile)?.trim().split('\n').at(-1));
  return processOf(pid, (words) => words.includes(paths.config));
}

function startFailure(output: string): Error {
  if (/errors? found in configuration|Error\(s\) found in configuration/i.test(output))
    return new ConfigurationRefused(output);
  const bind = /cannot bind (?:socket|UNIX socket) \(([^)]*)\)[^[]*\[(.*):(\d+)\]/i.exec(output);
  if (!bind) return new Error(`HAProxy did not start: ${output.trim().slice(-800)}`);
  const [, why, address = '', port = ''] = bind;
  if (holderOf(address, Number(port), 'tcp'))
    return portInUse({ address, port: Number(port), transport: 'tcp' });
  return new TaskFailed(`TCP port ${port} of ${address} cannot be used (${why})`);
}

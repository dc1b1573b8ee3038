import path from 'node:path';
import { OWN_COMMANDS } from '../kernel/own-commands.ts';
import type { FirstRun } from './first-run.ts';

export interface Greeting extends FirstRun {
  /** Where the API is; undefined: this node only works on tasks. */
  readonly url: string | undefined;
  /** Where a node that only works on tasks answers probes; undefined: nowhere. */
  readonly probes?: string | undefined;
  readonly pid: number;
  /** Name of this machine. */
  readonly node: string;
  readonly dataDir: string;
  /** What can be installed beside what is there; absent: nothing. */
  readonly more?: string | undefined;
  /** Whether a person reads along: what goes elsewhere is kept, copied and searched by others. */
  readonly isTerminal: boolean;
}

/** What is said once the server runs: six lines at most. */
export function greeting(facts: Greeting): readonly string[] {
  return [...whatRuns(facts), ...(facts.more ? [facts.more] : [])];
}

function whatRuns(greeting: Greeting): readonly string[] {
  const { url, pid, dataDir, credentials, isTerminal } = greeting;
  if (!url) {
    return [
      `Virga works on tasks (pid ${pid}). Stop it with ${OWN_COMMANDS.stop} or Ctrl-C.`,
      ...(greeting.probes ? [`Its probes and metrics are at ${greeting.probes}.`] : []),
      ...locationOfCredentials(greeting),
    ];
  }
  const running = [
    `Virga serves ${url} (pid ${pid}); its API reference is at ${url}/docs. Stop it with ${OWN_COMMANDS.stop} or Ctrl-C.`,
  ];
  if (!credentials) return [...running, ...locationOfCredentials(greeting)];
  const file = path.join(dataDir, 'credentials');
  if (!isTerminal) return [...running, `This is the first run. Its tokens are in ${file}.`];
  return [
    ...running,
    `This is the first run. Its link to the portal, for once and a day: ${url}/sign-in#${credentials.signInToken}`,
    `Sign in later as ${credentials.email} with the password ${credentials.password}`,
    `API token ${credentials.apiToken}, operator token ${credentials.operatorToken}`,
    `All of these are kept in ${file}.`,
  ];
}

/** The credentials of the first run are in one place, however many nodes there are. */
function locationOfCredentials({ location, node, dataDir, credentials }: Greeting): readonly string[] {
  if (!location) return [];
  const file = path.join(location.dataDir, 'credentials');
  if (location.node === node && location.dataDir === dataDir) {
    return [
      credentials
        ? `This is the first run. Its tokens are in ${file}.`
        : `The tokens of the first run are in ${file}.`,
    ];
  }
  return [`The tokens of the first run are on ${location.node}, in ${file}.`];
}

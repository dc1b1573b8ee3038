import type { CallOptions, Reply, TestServer } from '../../harness/server.ts';

/** How a task of one type comes about. The harness does everything else. */
export interface Scenario {
  /** What has to be there before; the ids that it returns are handed to `start`. */
  prepare?(setup: Preparation): Promise<string | readonly string[]>;
  /** The call that starts the task in project 1 and region 2, which is simulated. Whoever calls it again after a
   *  failure gets the same thing again. */
  start(...ids: readonly string[]): Call;
  /** Absent: a task that failed leaves everything as it was before. Otherwise why it does not; then starting it
   *  again has to bring it to the same end. */
  readonly failureLeaves?: string;
  /** Texts that depend on the way something came about, such as numbers in names. */
  readonly blur?: readonly RegExp[];
}

export interface Call extends Pick<CallOptions, 'body' | 'as'> {
  readonly method: string;
  readonly path: string;
  /** It answers only when its task has ended, or took too long. */
  readonly waits?: true;
}

export interface Preparation {
  readonly server: TestServer;
  readonly call: (call: Call) => Promise<Reply>;
  /** Makes a call and brings its task to its end; gives the first id that it created of this kind, or ''. */
  readonly finished: (call: Call, kind?: string) => Promise<string>;
}

export const post = (path: string, body?: unknown): Call => ({ method: 'POST', path, body });
export const patch = (path: string, body: unknown): Call => ({ method: 'PATCH', path, body });
export const put = (path: string, body: unknown): Call => ({ method: 'PUT', path, body });
export const remove = (path: string): Call => ({ method: 'DELETE', path });

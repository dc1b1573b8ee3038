import { type Cloud, Connection, findCloud } from './connection.ts';
import { UsageError } from './failures.ts';
import { type Format, printed } from './output/print.ts';
import type { Terminal } from './terminal.ts';

/** What every command understands, beside its own. */
export interface Globals {
  readonly output?: Format;
  readonly query?: string;
  readonly project?: string;
  readonly region?: string;
  readonly client?: string;
  readonly profile?: string;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  /** False: `--no-wait`. */
  readonly wait?: boolean;
}

/** One run of the command. */
export class Context {
  readonly terminal: Terminal;
  readonly globals: Globals;

  constructor(terminal: Terminal, globals: Globals) {
    this.terminal = terminal;
    this.globals = globals;
  }

  /** @throws NoCloud */
  cloud(): Cloud {
    const { env, cwd } = this.terminal;
    return findCloud({ env, cwd, profile: this.globals.profile });
  }

  /** @throws NoCloud, UsageError without a token */
  connect(asOperator = false): Connection {
    const cloud = this.cloud();
    if (cloud.token === undefined && !(asOperator && cloud.operatorToken))
      throw new UsageError(
        `There is no token for ${cloud.url}: set VIRGA_TOKEN, or sign in with virga login ${cloud.url}`,
      );
    return new Connection(cloud, this.terminal.env, asOperator);
  }

  /** Prints an answer in the form that was asked for. */
  print(answer: unknown): void {
    const { output = 'table', query } = this.globals;
    const { look, columns } = this.terminal;
    const text = printed(answer, { format: output, query }, look, columns);
    if (text !== '') this.terminal.print(text);
  }

  /** Says something for people, unless they want to hear nothing. */
  say(text: string): void {
    if (!this.globals.quiet) this.terminal.say(text);
  }

  /** @throws UsageError unless the person agrees */
  async confirm(what: string): Promise<void> {
    if (this.globals.yes) return;
    if (!this.terminal.isInteractive)
      throw new UsageError(`${what}: say --yes, since nobody can be asked here`);
    const answer = await this.terminal.ask(`${what}? [y/N] `);
    if (!/^y(es)?$/i.test(answer)) throw new UsageError('Nothing was done');
  }
}

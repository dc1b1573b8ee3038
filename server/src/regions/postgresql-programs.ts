import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError, type Engines } from '../engines/index.ts';
import { ANYBODY } from '../kernel/accounts.ts';
import { messageOf, TaskFailed } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { OWN_COMMANDS } from '../kernel/own-commands.ts';
import { hasBinaries, prepareBinariesAt } from '../platform/database/embedded/binaries.ts';
import type { PostgresqlPrograms } from '../providers/local/index.ts';
import { withdrawExtensions } from './postgresql-extensions.ts';

/** The PostgreSQLs for clusters of users: the one that comes along, and older ones that are got when they are needed
 *  for the first time. */

const VERSIONS = ['18', '17', '16', '15'];

const POOLER = 'pgbouncer';
const TOOLS = 'postgresql-tools';

const engineOf = (version: string) => `postgresql-${version}`;

export interface ProgramsOptions {
  /** Where programs are copied to when an account without rights cannot reach them. */
  readonly dataDir: string;
  readonly engines: Pick<Engines, 'programOf' | 'faultOf' | 'install' | 'state'>;
  readonly log: Pick<Logger, 'info'>;
}

export function postgresqlPrograms(options: ProgramsOptions): PostgresqlPrograms {
  // Looked for once: npm brings them, and that takes milliseconds which every list of regions would cost.
  const versions = hasBinaries() ? VERSIONS : [];
  const found = new Map<string, Promise<string>>();
  const installing = new Map<string, { fault?: string }>();
  const install = (version: string) => {
    const state = installing.get(version);
    if (state?.fault !== undefined) {
      // Whoever asks next tries again.
      installing.delete(version);
      throw new TaskFailed(
        `PostgreSQL ${version} could not be installed: ${state.fault}; on this machine: ${OWN_COMMANDS.engines} install ${engineOf(version)}`,
      );
    }
    if (state) return;
    const begun: { fault?: string } = {};
    installing.set(version, begun);
    const say = (line: string) => options.log.info({ engine: engineOf(version) }, line);
    options.engines.install(engineOf(version), say).then(
      () => installing.delete(version),
      (error: unknown) => {
        begun.fault = error instanceof EngineError ? error.message : messageOf(error);
      },
    );
  };
  return {
    versions: () => versions,
    // One that is too old serves those that there are.
    pooler: () => options.engines.state(POOLER),
    tools: () => ({ program: options.engines.programOf(TOOLS), fault: options.engines.faultOf(TOOLS) }),
    folderOf: async (version) => {
      const program = options.engines.programOf(engineOf(version));
      if (program === undefined) {
        install(version);
        return undefined;
      }
      const prepared = found.get(program) ?? prepare(program, options);
      found.set(program, prepared);
      try {
        return await prepared;
      } catch (error) {
        found.delete(program);
        throw new TaskFailed(messageOf(error));
      }
    },
  };
}

/** @param program of a package: `native/bin/postgres` */
async function prepare(program: string, { dataDir, log }: ProgramsOptions): Promise<string> {
  const root = path.resolve(program, '../..');
  const { version } = JSON.parse(readFileSync(path.join(root, '..', 'package.json'), 'utf8'));
  const account = process.getuid?.() === 0 ? ANYBODY : undefined;
  const binaries = await prepareBinariesAt({ root, version }, account, path.join(dataDir, 'engines'));
  const kept = await withdrawExtensions(binaries.root);
  if (kept.length > 0)
    log.info({ extensions: kept }, 'these extensions are offered, and users cannot create them');
  return binaries.root;
}

import path from 'node:path';
import type { Command } from 'commander';
import { programOf } from '../../scripts/lib/programs.mjs';
import { resolveDataDir } from '../../server/src/platform/database/embedded/instance.mjs';
import { dataDirHere } from './connection.ts';
import { UsageError } from './failures.ts';
import { ROOT } from './root.ts';
import type { Terminal } from './terminal.ts';

interface Given {
  readonly dataDir?: string;
}

interface Done {
  readonly version: string;
  readonly made_at: string;
  readonly has_master_key: boolean;
}

/** `virga backup` and `virga restore`.
 *  @param add a command of the group */
export function addBackupCommands(add: (name: string, means: string) => Command, terminal: Terminal): void {
  add('backup', 'write all that it has into a file, also while it runs')
    .argument('<file>', 'what is made; only you can read it: it holds keys and passwords')
    .option('--data-dir <FOLDER>', 'which one, instead of the one that is found here')
    .action(async (file: string, { dataDir = dataDirHere(terminal) }: Given) => {
      const { has_master_key: hasKey } = await follow(terminal, 'backup', file, dataDir);
      terminal.say(`${dataDir} is in ${file}. Keep it secret: it holds keys and passwords.`);
      if (!hasKey) terminal.say('The master key is not in it: keep VIRGA_MASTER_KEY, too.');
    });
  add('restore', 'make a cloud of such a file; virga up starts it')
    .argument('<file>', 'what virga backup has made')
    .option('--data-dir <FOLDER>', 'where it goes, instead of .virga; there must be nothing in it')
    .action(async (file: string, { dataDir = resolveDataDir(terminal.env, terminal.cwd) }: Given) => {
      const done = await follow(terminal, 'restore', file, dataDir);
      terminal.say(
        `${dataDir} is as it was at ${done.made_at}, of version ${done.version}. Start it: virga up`,
      );
      if (!done.has_master_key) terminal.say('It needs the VIRGA_MASTER_KEY that it had.');
    });
}

/** Does it, and says where it is. */
async function follow(
  terminal: Terminal,
  what: 'backup' | 'restore',
  file: string,
  dataDir: string,
): Promise<Done> {
  const program = await programOf(ROOT, 'server', 'backup/index');
  const progress = terminal.progress(what === 'backup' ? 'Reading' : 'Checking');
  const { env, cwd } = terminal;
  try {
    return await program[what]({
      env,
      dataDir: path.resolve(cwd, dataDir),
      file: path.resolve(cwd, file),
      say: (line: string) => progress.show(line),
    });
  } catch (error) {
    throw error instanceof program.BackupError ? new UsageError((error as Error).message) : error;
  } finally {
    progress.clear();
  }
}

import path from 'node:path';
import { messageOf, TaskFailed } from './kernel/errors.ts';
import { serverAccount } from './platform/database/embedded/account.ts';
import { type Binaries, hasBinaries, prepareBinaries } from './platform/database/embedded/binaries.ts';
import type { PostgresqlPrograms } from './providers/local/index.ts';

/** The PostgreSQL that comes along, for clusters of users: the same programs, a server of their own. */

/** Of the packages that package.json names. */
const MAJOR = '18';

/** @param dataDir where the programs are copied to when an account without rights cannot reach them */
export function postgresqlPrograms(dataDir: string): PostgresqlPrograms {
  let found: Promise<Binaries> | undefined;
  const find = () => {
    found ??= prepareBinaries(serverAccount(path.join(dataDir, 'none')), path.join(dataDir, 'engines'));
    return found;
  };
  return {
    versions: () => (hasBinaries() ? [MAJOR] : []),
    folderOf: async () => {
      try {
        return (await find()).root;
      } catch (error) {
        found = undefined;
        throw new TaskFailed(messageOf(error));
      }
    },
  };
}

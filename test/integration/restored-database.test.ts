import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Engines, shelf } from '../../server/src/engines/index.ts';
import { currentEpoch, isOurs } from '../../server/src/features/tasks/changes.ts';
import { keepEpoch } from '../../server/src/features/tasks/epochs.ts';
import { Db } from '../../server/src/platform/database/db.ts';
import { migrateToLatest } from '../../server/src/platform/database/migrate.ts';
import { createEmptyDatabase } from '../harness/database.ts';

/** The tools must be as new as the server: `npm run engines -- install postgresql-tools`. */
const engines = new Engines({ folders: [shelf()] });
await engines.look(['postgresql-tools']);
const fault = engines.faultOf('postgresql-tools');

test.skipIf(fault !== undefined)(
  `a dump that is restored while the server runs begins an epoch where it was made${fault ? `: skipped, ${fault}` : ''}`,
  async () => {
    const tools = path.dirname(engines.programOf('postgresql-tools') ?? '');
    const folder = mkdtempSync(path.join(tmpdir(), 'virga-dump-'));
    const database = await createEmptyDatabase();
    const db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 4 });
    const run = (program: string, ...words: readonly string[]) =>
      promisify(execFile)(path.join(tools, program), [`--dbname=${database.url}`, ...words]);
    const drawn = async () => Number((await db.pool.query('select next_task_change() as n')).rows[0].n);
    try {
      await migrateToLatest(db.pool);
      await keepEpoch(db);
      const epoch = await currentEpoch(db);
      const change = await drawn();
      await run('pg_dump', '--format=custom', `--file=${path.join(folder, 'virga.dump')}`);
      const lost = await drawn();
      await run(
        'pg_restore',
        '--clean',
        '--no-owner',
        '--single-transaction',
        path.join(folder, 'virga.dump'),
      );
      await keepEpoch(db);
      expect(await currentEpoch(db)).not.toBe(epoch);
      expect(await drawn()).toBe(lost);
      expect(await isOurs(db, { epoch, change })).toBe(true);
      expect(await isOurs(db, { epoch, change: lost })).toBe(false);
    } finally {
      await db.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

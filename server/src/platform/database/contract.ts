import type { BackgroundJob } from '../feature.ts';
import type { Db } from './db.ts';
import { migrateToLatest } from './migrate.ts';
import { isContract, SqlFiles } from './sql-files.ts';
import { compareVersions, executed } from './versions.ts';

const LOOK_EVERY_MS = 60_000;

/** Runs the migrations that remove what nodes of an older release use, an hour after the upgrade, when none of them has
 *  been seen for as long. Until then the upgrade can be taken back. */
export function contractJob(db: Db, version: string): BackgroundJob {
  let isDone = false;
  return {
    name: 'contract-migrations',
    everyMs: LOOK_EVERY_MS,
    exclusive: true,
    run: async () => {
      if (isDone) return;
      const had = new Set(await executed(db.pool));
      const waiting = (await new SqlFiles().names()).filter((name) => isContract(name) && !had.has(name));
      if (waiting.length > 0 && !(await mayContract(db, version))) return;
      if (waiting.length > 0) await migrateToLatest(db.pool, { version, contract: true });
      isDone = true;
    },
  };
}

/** Nodes are listed for an hour after they fall silent. */
async function mayContract(db: Db, version: string): Promise<boolean> {
  const { rows } = await db.pool.query<{ settled: boolean; versions: string[] | null }>(
    `select (select max("timestamp"::timestamptz) from kysely_migration) < now() - interval '1 hour' as settled,
            (select array_agg(distinct version) from nodes) as versions`,
  );
  const [{ settled = false, versions } = {}] = rows;
  return settled && (versions ?? []).every((other) => compareVersions(other, version) >= 0);
}

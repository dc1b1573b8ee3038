import { pino } from 'pino';
import { Db } from '../../server/src/platform/database/db.ts';
import { createTestDatabase } from './database.ts';

/** A database of its own, as features see it. Closing it drops it.
 *  @param begin SQL that is run first */
export async function startTestDb(begin = 'select'): Promise<Db> {
  const database = await createTestDatabase();
  const db = new Db({ connection: database.connection, log: pino({ level: 'silent' }), maxConnections: 6 });
  const close = db.close.bind(db);
  db.close = async () => {
    await close();
    await database.drop();
  };
  await db.pool.query(begin);
  return db;
}

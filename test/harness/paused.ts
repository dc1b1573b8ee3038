import { sql } from '../../server/src/platform/database/sql.ts';
import type { TestServer } from './server.ts';

/** Has what client 1 has serve nobody, or serve again, as it is when an operator suspends and resumes a client. (That
 *  one is the operator's own, which is not suspended.) */
export async function pauseDataPlanes({ db }: TestServer, paused: boolean): Promise<void> {
  await db.run(sql`update clients set data_planes_stopped = ${paused} where id = 1`);
}

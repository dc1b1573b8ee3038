import { readFileSync } from 'node:fs';
import path from 'node:path';
import { insertToken, newTokenValue } from '../features/iam/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { writeFileAtomically } from '../kernel/files.ts';
import type { Ids } from '../kernel/ids.ts';
import { hashToken } from '../platform/auth/caller.ts';
import type { Db } from '../platform/database/db.ts';
import { sql } from '../platform/database/sql.ts';
import { waitForTurn } from '../startup/start-turns.ts';

export interface ReporterTokenOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly dataDir: string;
}

/** The token of this data directory that may report usage and nothing else; made where there is none. Edges on other
 *  machines may be given it. */
export async function keepReporterToken({ db, clock, ids, dataDir }: ReporterTokenOptions): Promise<string> {
  const file = path.join(dataDir, 'edge-token');
  return db.transaction(async (tx) => {
    await waitForTurn(tx);
    const kept = readToken(file);
    if (kept !== undefined) {
      const known = await tx.rows(
        sql`select 1 from api_tokens where hash = ${hashToken(kept)} and role = 'reporter' and deleted_at is null`,
      );
      if (known.length > 0) return kept;
    }
    const token = newTokenValue(ids);
    await insertToken(tx, {
      clientId: 1,
      userId: 1,
      role: 'reporter',
      name: 'Edge',
      description: '',
      hash: hashToken(token),
      expiresAt: null,
      timestamp: clock.timestamp(),
    });
    writeFileAtomically(file, `${token}\n`, { durable: true });
    return token;
  });
}

function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

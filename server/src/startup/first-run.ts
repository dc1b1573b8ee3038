import path from 'node:path';
import {
  deleteOrphans,
  hashPassword,
  insertToken,
  newSignInToken,
  newTokenValue,
} from '../features/iam/index.ts';
import { GLOBAL_REGION, reserve } from '../features/quotas/index.ts';
import type { NewRegion } from '../features/regions/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { makeFolder, writeFileAtomically } from '../kernel/files.ts';
import type { Ids } from '../kernel/ids.ts';
import { hashToken } from '../platform/auth/caller.ts';
import type { Db, Tx } from '../platform/database/db.ts';
import { sql } from '../platform/database/sql.ts';
import { completeProjects, setUpProject, setUpRegions } from '../regions/region-contents.ts';
import { planSeed } from '../seed/seed-store.ts';
import { waitForTurn } from './start-turns.ts';

const ADMIN_EMAIL = 'admin@virga.internal';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly apiToken: string;
  readonly operatorToken: string;
  /** Signs in to the portal once. */
  readonly signInToken: string;
}

export interface FirstRunOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly apiKey: string | undefined;
  /** Regions from the configuration; undefined keeps what is there. */
  readonly regions: readonly NewRegion[] | undefined;
  readonly defaultRegions: readonly NewRegion[];
  readonly dataDir: string;
  /** Name of this machine. */
  readonly node: string;
  /** A first run has calls to begin with. */
  readonly seed?: boolean;
}

/** What a start knows of the first run. */
export interface FirstRun {
  /** Of a first run that was this start. */
  readonly credentials: Credentials | undefined;
  /** Where the credentials of the first run were put; undefined when it was before that was noted. */
  readonly location: { readonly node: string; readonly dataDir: string } | undefined;
}

/** Makes a database usable: client 1 with an administrator, a default project and tokens on the first run,
 *  the configured regions and administrator token on every run.
 *  @returns the credentials of a first run, which are in `DATA_DIR/credentials` too, and where that is */
export async function prepareDatabase(options: FirstRunOptions): Promise<FirstRun> {
  const firstRun = await options.db.transaction(async (tx) => {
    // The first one does the work.
    await waitForTurn(tx);
    const credentials = (await isEmpty(tx)) ? await begin(tx, options) : undefined;
    const { ids, clock, regions = [] } = options;
    await setUpRegions(tx, regions, { ids, timestamp: clock.timestamp() });
    await keepFixedToken(tx, options);
    return { credentials, location: await readLocation(tx) };
  });
  await completeProjects(options.db);
  return firstRun;
}

async function readLocation(tx: Tx): Promise<FirstRun['location']> {
  const [row] = await tx.rows<{ node: string; data_dir: string }>(sql`select node, data_dir from first_run`);
  return row && { node: row.node, dataDir: row.data_dir };
}

async function isEmpty(tx: Tx): Promise<boolean> {
  return (await tx.rows(sql`select 1 from clients limit 1`)).length === 0;
}

/** A first run that was killed has used up numbers, which no rollback gives back. Ids begin with 1 even so. */
async function restartNumbers(tx: Tx): Promise<void> {
  await tx.run(sql`select setval(pg_get_serial_sequence(name, 'id'), 1, false)
       from unnest(array['clients', 'users', 'projects', 'api_tokens']) as name`);
}

async function begin(tx: Tx, options: FirstRunOptions): Promise<Credentials> {
  const { clock, ids } = options;
  await restartNumbers(tx);
  const credentials = {
    email: ADMIN_EMAIL,
    password: ids.secret(12),
    apiToken: options.apiKey ?? newTokenValue(ids),
    operatorToken: newTokenValue(ids),
  };
  const now = clock.timestamp();
  await tx.run(sql`with client as (insert into clients (name, email, created_at) values ('Virga', ${credentials.email}, ${now}) returning id),
          account as (insert into users (email, name, password_hash, created_at) values (${credentials.email}, 'Administrator', ${await hashPassword(credentials.password)}, ${now}) returning id)
     insert into client_users (client_id, user_id, role) select client.id, account.id, 'Administrators' from client, account`);
  await setUpProject(tx, {
    clientId: 1,
    name: 'Default',
    description: null,
    isDefault: true,
    timestamp: now,
  });
  await reserve(tx, { clientId: 1, regionId: GLOBAL_REGION }, { project_count: 1 });
  if (!options.regions) await setUpRegions(tx, options.defaultRegions, { ids, timestamp: now });
  if (!options.apiKey) await addToken(tx, options, credentials.apiToken, 'First run', 'Administrators');
  await addToken(tx, options, credentials.operatorToken, 'Operator', 'operator');
  await tx.run(
    sql`insert into first_run (node, data_dir, at) values (${options.node}, ${options.dataDir}, ${now})`,
  );
  if (options.seed) await planSeed(tx);
  const signInToken = await newSignInToken(tx, options, 1);
  // Before the commit: a token that is in the database alone could never be learnt.
  writeCredentials(options.dataDir, credentials);
  return { ...credentials, signInToken };
}

function addToken(
  tx: Tx,
  { clock }: FirstRunOptions,
  value: string,
  name: string,
  role: 'Administrators' | 'operator',
): Promise<number> {
  return insertToken(tx, {
    clientId: 1,
    userId: 1,
    role,
    name,
    description: '',
    hash: hashToken(value),
    expiresAt: null,
    timestamp: clock.timestamp(),
  });
}

const FIXED_TOKEN = 'VIRGA_API_KEY';

/** The token that the configuration fixes works, and those it fixed before no longer do. A node that fixes none says
 *  nothing of those that others fix. */
async function keepFixedToken(tx: Tx, options: FirstRunOptions): Promise<void> {
  if (options.apiKey === undefined) return;
  const hash = hashToken(options.apiKey);
  await tx.run(sql`update api_tokens set deleted_at = ${options.clock.timestamp()}
      where client_id = 1 and name = ${FIXED_TOKEN} and deleted_at is null and hash <> ${hash}`);
  await deleteOrphans(tx, 1, options.clock.timestamp());
  const revived = await tx.rows(
    sql`update api_tokens set deleted_at = null where hash = ${hash} returning 1`,
  );
  if (revived.length === 0) await addToken(tx, options, options.apiKey, FIXED_TOKEN, 'Administrators');
}

function writeCredentials(dataDir: string, credentials: Omit<Credentials, 'signInToken'>): void {
  const file = path.join(dataDir, 'credentials');
  const lines = [
    `EMAIL=${credentials.email}`,
    `PASSWORD=${credentials.password}`,
    `API_TOKEN=${credentials.apiToken}`,
    `OPERATOR_TOKEN=${credentials.operatorToken}`,
  ];
  makeFolder(dataDir);
  writeFileAtomically(file, `${lines.join('\n')}\n`);
}

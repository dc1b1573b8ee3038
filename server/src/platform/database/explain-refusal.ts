import { sqlStateOf } from './db.ts';
import { StartError } from './embedded/start-error.ts';

/** What to do when a PostgreSQL of one's own refuses what a start needs, by SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  // invalid_password, invalid_authorization_specification
  '28P01': 'correct the user and the password of DATABASE_URL',
  '28000': 'correct the user of DATABASE_URL, or let it in (pg_hba.conf)',
  // invalid_catalog_name
  '3D000': 'create it (createdb --owner=ROLE --encoding=UTF8 NAME), or correct DATABASE_URL',
  // insufficient_privilege
  '42501':
    'make the role of DATABASE_URL the owner of the database (alter database NAME owner to ROLE), or grant it what it lacks',
  // invalid_schema_name
  '3F000': 'name a schema that exists as search_path of the role or the database',
  // read_only_sql_transaction
  '25006': 'let DATABASE_URL lead to the primary, and to a database without default_transaction_read_only',
  // too_many_connections
  '53300': 'raise max_connections, or the limit of the role (docs/operations.md, Connections)',
};

/** The same error, or, for what a person can mend, one line that says how.
 *  @param error what PostgreSQL refused, or an error whose cause that is */
export function explainRefusal(error: unknown): unknown {
  const refusal = error instanceof Error && sqlStateOf(error.cause) !== '' ? error.cause : error;
  const advice = ADVICE[sqlStateOf(refusal)];
  if (advice === undefined) return error;
  return new StartError(`PostgreSQL says: ${(refusal as Error).message}; ${advice}`, { cause: error });
}

import { HttpError } from './errors.ts';

/** Seconds after which to ask again: a database that was restarted is back by then. */
const AGAIN_S = 2;

/** What is answered while there is no database. */
export function withoutDatabase(method: string): HttpError {
  const changed =
    method === 'GET'
      ? ''
      : '; what this call was to change may have been changed, so look before you repeat it, or send it with an Idempotency-Key';
  return new HttpError(503, `The database cannot be reached; try again in ${AGAIN_S} s${changed}`, {
    'retry-after': String(AGAIN_S),
  });
}

/** Seconds: somebody has to make room. */
const ROOM_S = 30;

/** What is answered while the disk of the database is full. */
export const withoutRoom = (): HttpError =>
  new HttpError(
    503,
    `The disk of the database is full, so nothing can be changed: ask the operator to make room, and try again in ${ROOM_S} s`,
    { 'retry-after': String(ROOM_S) },
  );

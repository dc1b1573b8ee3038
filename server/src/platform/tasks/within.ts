/** A start waits for a database that is busy: there is nothing yet that would be late. */
export const START_PATIENCE_MS = 30_000;

/** No answer came in time. */
export class TooLate extends Error {
  constructor(ms: number) {
    super(`the database gave no answer within ${ms / 1000} s`);
  }
}

/** Waits for an answer of the database only so long; what comes later is void.
 *  @throws what the answer throws; TooLate */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate(ms)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

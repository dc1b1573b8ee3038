import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { claimsOf, ROOT, readCompatibility } from '../golden/compatibility/document.ts';
import { forgetUndocumented, undocumented } from './documented-errors.ts';
import { forgetOperations, operationsSeen } from './operations-seen.ts';

// This file is read again for each file of tests.
forgetOperations();
forgetUndocumented();

/** After the tests of each file: refusals were as documented, and the file shows what it is said to show.
 *  docs/compatibility.md says which tests show an operation at work. Each test file proves what is said of it;
 *  `npm run generate` finds out anew, by a file that it names here. */
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from it which fixtures are requested
afterAll(({}, { tasks }) => {
  const file = path.relative(ROOT, expect.getState().testPath ?? '');
  const record = process.env.VIRGA_RECORD_OPERATIONS;
  if (record !== undefined) {
    appendFileSync(record, `${JSON.stringify({ file, operations: [...operationsSeen()] })}\n`);
    return;
  }
  expect(undocumented(), 'refusals that are not as the OpenAPI document says').toEqual([]);
  if (!tasks.every(passed)) return;
  const missing = claimsOf(readCompatibility(), file).filter((operation) => !operationsSeen().has(operation));
  expect(missing, 'docs/compatibility.md names this file for operations that it does not call').toEqual([]);
});

interface RunTask {
  readonly result?: { readonly state: string } | undefined;
  readonly tasks?: readonly RunTask[];
}

/** Neither failed nor left out by a filter. */
function passed({ result, tasks }: RunTask): boolean {
  return result?.state === 'pass' && (tasks ?? []).every(passed);
}

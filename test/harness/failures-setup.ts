import { afterEach } from 'vitest';
import { witnesses } from './on-failure.ts';

/** What a failed test had before it is printed beside its failure: in an hour nobody can look at it any more. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const witness of witnesses) {
    process.stderr.write(`\n${task.name}: ${await witness().catch(String)}\n`);
  }
});

import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests take longest, in this order: begun last, they would run on alone on one core. */
const LONGEST = [
  'test/chaos/chaos.test.ts',
  'test/handlers/handlers.test.ts',
  'test/chaos/killed-database.test.ts',
  'test/generated/garbage.test.ts',
  'test/chaos/',
  'test/docs/readme.test.ts',
  'test/e2e/',
  'test/compat/',
  'test/integration/',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const file = path.relative(process.cwd(), moduleId);
      const at = LONGEST.findIndex((start) => file.startsWith(start));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

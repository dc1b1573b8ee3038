import { expect, test } from 'vitest';
import { csvOf } from '../../portal/src/ui/csv.ts';

test('each field is a column, what has parts is JSON, and nothing is taken for a formula', () => {
  const rows = [
    { id: 1, name: 'one, "two"', tags: [{ key: 'a' }] },
    { id: -2, name: '=HYPERLINK("x")', note: null, more: 'a\nb' },
  ];
  expect(csvOf(rows)).toBe(
    [
      'id,name,tags,note,more',
      '1,"one, ""two""","[{""key"":""a""}]",,',
      `-2,"'=HYPERLINK(""x"")",,,"a\nb"`,
      '',
    ].join('\r\n'),
  );
});

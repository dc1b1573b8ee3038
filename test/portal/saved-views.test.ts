import { expect, test } from 'vitest';
import { isSame, readViews, viewOf, viewsKey, withView } from '../../portal/src/ui/saved-views.ts';

test('views are of a person and a list, whatever the project and the region', () => {
  const key = viewsKey('anna@virga.test', '/projects/1/regions/2/volumes');
  expect(viewsKey('anna@virga.test', '/projects/7/regions/1/volumes')).toBe(key);
  expect(viewsKey('ben@virga.test', '/projects/1/regions/2/volumes')).not.toBe(key);
  expect(viewsKey('anna@virga.test', '/projects/1/tasks')).toBe('virga.views.anna@virga.test./tasks');
});

test('a view keeps filters, order and length, and not the page', () => {
  const search = { name: 'web', order_by: 'name.asc', limit: '200', offset: '400', new: '1', text: '' };
  expect(viewOf(search)).toEqual({ name: 'web', order_by: 'name.asc', limit: '200' });
  expect(isSame(search, { limit: '200', order_by: 'name.asc', name: 'web' })).toBe(true);
  expect(isSame(search, { name: 'web' })).toBe(false);
});

test('what a browser has kept is read as far as it can be', () => {
  const views = withView([{ name: 'b', search: { name: 'x' } }], { name: 'a', search: { name: 'y' } });
  expect(views.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(withView(views, { name: 'a', search: { name: 'z' } })).toHaveLength(2);
  expect(readViews(JSON.stringify(views))).toEqual(views);
  expect(readViews('[{"name": 1}, {"name": "c", "search": {"limit": 5}}, null]')).toEqual([]);
  expect(readViews('not JSON')).toEqual([]);
  expect(readViews(null)).toEqual([]);
});

import { expect, test } from 'vitest';
import { DRAWN, drawn } from '../../portal/src/pages/load-balancers/drawn.ts';
import { layOut, NODE, type Topology } from '../../portal/src/pictures/topology-layout.ts';

const node = (id: string, column: number) => ({ id, column, title: id, detail: '', status: 'ONLINE' });
const edge = (way: string) => {
  const [from = '', to = ''] = way.split('>');
  return { from, to, status: 'ONLINE', share: 0 };
};
const picture = (nodes: readonly (readonly [string, number])[], ...links: readonly string[]): Topology => ({
  nodes: nodes.map(([id, column]) => node(id, column)),
  edges: links.map(edge),
});
const column = (topology: Topology, number: number) =>
  layOut(topology)
    .nodes.filter((one) => one.column === number)
    .toSorted((a, b) => a.y - b.y)
    .map(({ id }) => id);
const heightOf = (topology: Topology, id: string) => layOut(topology).nodes.find((one) => one.id === id)?.y;

test('the parts of a load balancer stand in the order of what leads to them, so that few lines cross', () => {
  const topology = picture(
    [
      ['lb', 0],
      ['first', 1],
      ['second', 1],
      ['of second', 3],
      ['of first', 3],
      ['member of second', 4],
      ['member of first', 4],
    ],
    'lb>first',
    'lb>second',
    'first>of first',
    'second>of second',
    'of first>member of first',
    'of second>member of second',
  );
  expect(column(topology, 3)).toEqual(['of first', 'of second']);
  expect(column(topology, 4)).toEqual(['member of first', 'member of second']);
});

test('what nothing leads to stands last', () => {
  const topology = picture(
    [
      ['lb', 0],
      ['listener', 1],
      ['spare pool', 3],
      ['pool', 3],
    ],
    'lb>listener',
    'listener>pool',
  );
  expect(column(topology, 3)).toEqual(['pool', 'spare pool']);
});

test('a picture that is higher than a window shows the begin of every way at its top', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `member ${index}`);
  const withMembers = (count: number) =>
    picture(
      [['pool', 3], ...members(count).map((id) => [id, 4] as const)],
      ...members(count).map((id) => `pool>${id}`),
    );
  expect(heightOf(withMembers(3), 'pool')).toBe(heightOf(withMembers(3), 'member 1'));
  expect(heightOf(withMembers(40), 'pool')).toBe(0);
});

test('a picture is as wide as there is room for, and a list where that is too little', () => {
  const topology = picture(
    [
      ['lb', 0],
      ['first', 1],
      ['second', 1],
      ['pool of both', 3],
      ['pool', 3],
      ['member', 4],
    ],
    'lb>first',
    'lb>second',
    'first>pool',
    'first>pool of both',
    'second>pool of both',
    'pool of both>member',
  );
  expect(layOut(topology)).toMatchObject({ form: 'wide', width: 888 });
  for (const room of [520, 600, 700]) {
    const { form, width, nodes } = layOut(topology, room);
    expect(form).toBe('tight');
    expect(width).toBeLessThanOrEqual(room);
    expect(Math.max(...nodes.map((one) => one.x + one.width))).toBe(width);
  }
  const list = layOut(topology, 320);
  expect(list.form).toBe('list');
  expect(list.nodes.every((one) => one.x + one.width === 320)).toBe(true);
  // Each stands below all that leads to it.
  const order = list.nodes.toSorted((a, b) => a.y - b.y).map(({ id }) => id);
  expect(order).toEqual(['lb', 'first', 'pool', 'second', 'pool of both', 'member']);
});

test('a policy that leads nowhere stands below the line that goes past it', () => {
  const topology = picture(
    [
      ['listener', 1],
      ['policy', 2],
      ['pool', 3],
    ],
    'listener>policy',
    'listener>pool',
  );
  expect(heightOf(topology, 'listener')).toBe(heightOf(topology, 'pool'));
  // Lines begin and end in the middle of what they join.
  expect(heightOf(topology, 'policy')).toBeGreaterThan(NODE.height / 2);
});

test('of very many members, those that are down are drawn, and the others are the rest', () => {
  const members = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: index,
      operating_status: index === 70 ? 'ERROR' : 'ONLINE',
    }));
  expect(drawn(members(DRAWN))).toEqual({ shown: members(DRAWN), rest: [] });
  const { shown, rest } = drawn(members(100));
  // One place is for the rest.
  expect(shown.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70]);
  expect(rest).toHaveLength(89);
});

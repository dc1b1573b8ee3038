import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Goal, type PlannedNode, type PlannedPool, planNodes } from './plan.ts';

type Mutable = { -readonly [K in keyof PlannedNode]: PlannedNode[K] };

/** Plays a provider: after each plan some of the unfinished nodes finish, in any order. */
function play(pools: readonly PlannedPool[], nodes: Mutable[], goal: Goal, chances: readonly number[]) {
  const history: Mutable[][] = [];
  let serial = 0;
  for (let step = 0; step < 2000; step++) {
    const plan = planNodes(pools, nodes, goal);
    for (const poolId of plan.add) {
      nodes.push({ id: `new-${serial++}`, poolId, version: goal.version, state: 'BUILDING' });
    }
    for (const node of nodes) if (plan.remove.includes(node.id)) node.state = 'REMOVING';
    history.push(nodes.map((node) => ({ ...node })));
    const open = nodes.filter(({ state }) => state === 'BUILDING' || state === 'REMOVING');
    if (open.length === 0 && plan.add.length + plan.remove.length === 0) return { nodes, history };
    const chosen = open[(chances[step % chances.length] ?? 0) % Math.max(1, open.length)];
    if (chosen?.state === 'BUILDING') chosen.state = 'READY';
    else if (chosen) nodes.splice(nodes.indexOf(chosen), 1);
    history.push(nodes.map((node) => ({ ...node })));
  }
  throw new Error('the plan never settled');
}

const ready = (nodes: readonly PlannedNode[], pool: PlannedPool) =>
  nodes.filter(({ poolId, state }) => poolId === pool.id && state === 'READY').length;

const pools = fc
  .array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 })
  .map((sizes) => sizes.map((nodeCount, i) => ({ id: `pool-${i}`, nodeCount })));
const chances = fc.array(fc.nat(50), { minLength: 1, maxLength: 30 });

test('during an upgrade there are never fewer ready nodes than before, in any pool', () => {
  fc.assert(
    fc.property(pools, chances, fc.nat(20), (size, order, done) => {
      // Some nodes are at the new version already: an upgrade that was interrupted.
      let i = 0;
      const nodes = size.flatMap((pool) =>
        Array.from({ length: pool.nodeCount }, () => ({
          id: `old-${i}`,
          poolId: pool.id,
          version: i++ < done ? 'v2' : 'v1',
          state: 'READY' as const,
        })),
      );
      const { nodes: end, history } = play(size, nodes, { version: 'v2', replaceOutdated: true }, order);
      for (const moment of history) {
        for (const pool of size) expect(ready(moment, pool)).toBeGreaterThanOrEqual(pool.nodeCount);
        const live = moment.filter(({ state }) => state !== 'REMOVING').length;
        expect(live).toBeLessThanOrEqual(size.reduce((sum, { nodeCount }) => sum + nodeCount, 1));
      }
      expect(end.every(({ version }) => version === 'v2')).toBe(true);
      for (const pool of size) expect(ready(end, pool)).toBe(pool.nodeCount);
    }),
  );
});

const anyNode = fc.record({
  poolId: fc.constantFrom('pool-0', 'pool-1'),
  version: fc.constantFrom('v1', 'v2', 'v3'),
  state: fc.constantFrom('BUILDING' as const, 'READY' as const, 'UNREADY' as const, 'REMOVING' as const),
});

test('from any state every pool gets its size, and ready nodes fall below it never further', () => {
  fc.assert(
    fc.property(
      fc.array(anyNode, { maxLength: 12 }),
      fc.nat(4),
      fc.nat(4),
      fc.boolean(),
      chances,
      (some, a, b, replaceOutdated, order) => {
        const size = [
          { id: 'pool-0', nodeCount: a },
          { id: 'pool-1', nodeCount: b },
        ];
        const nodes = some.map((node, i) => ({ ...node, id: `n${i}` }));
        const floor = size.map((pool) => Math.min(pool.nodeCount, ready(nodes, pool)));
        const { nodes: end, history } = play(size, nodes, { version: 'v2', replaceOutdated }, order);
        for (const moment of history) {
          size.forEach((pool, i) => {
            expect(ready(moment, pool)).toBeGreaterThanOrEqual(floor[i] ?? 0);
          });
        }
        for (const pool of size) {
          const live = end.filter(({ poolId, state }) => poolId === pool.id && state !== 'REMOVING');
          expect(live.length).toBe(pool.nodeCount);
        }
        if (replaceOutdated) expect(end.every(({ version }) => version === 'v2')).toBe(true);
      },
    ),
  );
});

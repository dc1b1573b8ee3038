import { Value } from '@sinclair/typebox/value';
import { expect, test } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { randomIds } from '../../../kernel/ids.ts';
import { MemberInput } from '../members/schema.ts';
import { limitsInWords, PART_LIMITS, refuseTooMany } from './limits.ts';
import { NewRows } from './rows.ts';

const rows = () => {
  const loadBalancer = { id: 'lb', project_id: 1, region_id: 2 };
  return new NewRows({ ids: randomIds(), clock: systemClock(), taskId: 'task', loadBalancer });
};
const pool = { name: 'pool', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' } as const;

test('a load balancer has so many parts of a kind, and a part so many of its own', () => {
  const full = rows();
  for (let i = 0; i < PART_LIMITS.pool.inAll; i++) full.addPool(pool);
  refuseTooMany(full);
  full.addPool(pool);
  expect(() => refuseTooMany(full)).toThrow('A load balancer has at most 100 pools; delete some first');
  const crowded = rows();
  const member = Value.Default(MemberInput, { address: '10.0.0.1' }) as MemberInput;
  const id = crowded.addPool(pool);
  for (let i = 0; i <= PART_LIMITS.member.ofOwner; i++) {
    crowded.addMember(id, { ...member, protocol_port: i + 1 });
  }
  expect(() => refuseTooMany(crowded)).toThrow('A pool has at most 1000 members; delete some first');
});

test('the document says so', () => {
  expect(limitsInWords('listener')).toBe('A load balancer has at most 100 listeners.');
  expect(limitsInWords('rule')).toBe('An L7 policy has at most 200 L7 rules, a load balancer 1000.');
});

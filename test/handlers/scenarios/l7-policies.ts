import { LBS, web } from '../../../server/src/features/load-balancers/testing/bodies.ts';
import { type Preparation, patch, post, put, remove, type Scenario } from './scenario.ts';

const POLICIES = '/cloud/v1/l7policies/1/2';
const rules = (policy: string) => `${POLICIES}/${policy}/rules`;
const RULE = { type: 'PATH', compare_type: 'STARTS_WITH', value: '/a' };

const policy = (listener: string, more: object = {}) =>
  post(POLICIES, { listener_id: listener, action: 'REJECT', name: 'closed', ...more });

const listener = ({ finished }: Preparation) => finished(post(LBS, web), 'listeners');

/** Two policies, of which the first has a rule. */
async function policies(setup: Preparation): Promise<readonly [first: string, second: string, rule: string]> {
  const id = await listener(setup);
  const first = await setup.finished(policy(id), 'l7polices');
  const second = await setup.finished(policy(id), 'l7polices');
  return [first, second, await setup.finished(post(rules(first), RULE), 'l7rules')];
}

export const l7Policies: Readonly<Record<string, Scenario>> = {
  create_l7policy: { prepare: listener, start: (id) => policy(id) },
  'create_l7policy before others': {
    prepare: async (setup) => {
      const id = await listener(setup);
      await setup.finished(policy(id));
      return id;
    },
    start: (id) => policy(id, { position: 1 }),
  },
  patch_l7policy: {
    prepare: policies,
    start: (first) =>
      patch(`${POLICIES}/${first}`, {
        action: 'REDIRECT_TO_URL',
        redirect_url: 'https://a.test/',
        position: 2,
        tags: ['a'],
      }),
  },
  delete_l7policy: { prepare: policies, start: (first) => remove(`${POLICIES}/${first}`) },
  create_l7rule: { prepare: policies, start: (first) => post(rules(first), RULE) },
  put_l7rule: {
    prepare: policies,
    start: (first, _second, rule) => put(`${rules(String(first))}/${rule}`, { value: '/b', invert: true }),
  },
  delete_l7rule: {
    prepare: policies,
    start: (first, _second, rule) => remove(`${rules(String(first))}/${rule}`),
  },
};

import { patch, post, type Scenario } from './scenario.ts';

/** A change of a port that nothing has at the moment. */
export const ports: Readonly<Record<string, Scenario>> = {
  update_port: {
    prepare: ({ finished }) =>
      finished(post('/cloud/v1/reserved_fixed_ips/1/2', { type: 'external' }), 'ports'),
    start: (id) =>
      patch(`/cloud/v1/ports/1/2/${id}`, {
        tags: { on: 'call' },
        allowed_address_pairs: [{ ip_address: '192.168.1.1' }],
      }),
  },
};

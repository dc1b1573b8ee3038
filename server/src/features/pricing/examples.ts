import type { Examples } from '../../platform/openapi/examples.ts';
import { SAMPLE } from '../../platform/openapi/examples.ts';

export const pricingExamples: Examples = {
  PriceFloatingIps: { count: 2 },
  PriceImage: { size: 10 },
  PriceSnapshot: { volume_id: SAMPLE.volume },
  PriceVolume: { source: 'new-volume', size: 10, type_name: 'standard' },
  PriceInstances: {
    flavor: 'g1-standard-1-2',
    interfaces: [{ type: 'external' }],
    volumes: [{ source: 'image', size: 10, type_name: 'standard' }],
    names: ['web-1', 'web-2'],
  },
  PriceLoadBalancer: { flavor: 'lb1-1-2' },
  PriceLoadBalancerWithAddresses: { flavor: 'lb1-1-2', floating_ip: { source: 'new' } },
  PriceCluster: {
    pools: [
      { flavor_id: 'g1-standard-2-4', node_count: 3, boot_volume_size: 50, boot_volume_type: 'standard' },
    ],
  },
  ReportCosts: {
    time_from: '2026-11-01T00:00:00Z',
    time_to: '2026-12-01T00:00:00Z',
    types: ['instance', 'volume'],
    order_by: ['billing_value.desc'],
  },
  ReportTotalCosts: {
    time_from: '2026-11-01T00:00:00Z',
    time_to: '2026-11-30T00:00:00Z',
    enable_last_day: true,
    tags: { condition_type: 'AND', conditions: [{ key: 'team', value: 'web', strict: true }] },
  },
  ReportUsage: {
    time_from: '2026-11-01T00:00:00Z',
    time_to: '2026-12-01T00:00:00Z',
    schema_filter: { type: 'instance', field: 'flavor', values: ['g1-standard-1-2'] },
    limit: 100,
  },
};

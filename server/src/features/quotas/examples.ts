import type { Examples } from '../../platform/openapi/examples.ts';

export const quotaExamples: Examples = {
  PutQuotaThreshold: { threshold: 80 },
  CreateLimitsRequest: {
    description: 'The shop needs more machines before the sales in spring',
    requested_limits: {
      global_limits: { project_count_limit: 40 },
      regional_limits: [{ region_id: 2, vm_count_limit: 60, cpu_count_limit: 240 }],
    },
  },
  Limits: {
    global_limits: { project_count_limit: 40 },
    regional_limits: [{ region_id: 2, vm_count_limit: 60, cpu_count_limit: 240 }],
  },
};

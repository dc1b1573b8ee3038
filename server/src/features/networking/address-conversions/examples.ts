import type { Examples } from '../../../platform/openapi/examples.ts';

export const conversionExamples: Examples = {
  ConvertFloatingIp: { target_type: 'reserved_fixed_ip' },
  ConvertReservedFixedIp: { target_type: 'floating_ip' },
};

import { type Examples, SAMPLE } from '../../../platform/openapi/examples.ts';

export const portExamples: Examples = {
  UpdatePort: {
    security_group_ids: [SAMPLE.group],
    allowed_address_pairs: [{ ip_address: '192.168.10.100' }],
    tags: { role: 'router' },
  },
  AllowAddressPairs: { allowed_address_pairs: [{ ip_address: '192.168.10.100' }] },
};

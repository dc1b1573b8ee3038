import { type Examples, SAMPLE, several } from '../../../platform/openapi/examples.ts';

export const floatingIpExamples: Examples = {
  CreateFloatingIp: several({
    'Leading to nothing yet': { tags: { environment: 'production' } },
    'Leading to a port': { port_id: SAMPLE.reservedPort },
  }),
  OlderUpdateFloatingIp: { tags: { environment: 'staging' } },
  UpdateFloatingIp: { port_id: SAMPLE.reservedPort, tags: { environment: 'staging' } },
  AssignFloatingIp: { port_id: SAMPLE.reservedPort },
};

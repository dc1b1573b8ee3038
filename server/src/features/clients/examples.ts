import type { Examples } from '../../platform/openapi/examples.ts';

export const clientExamples: Examples = {
  CreateOperatorClient: { name: 'Example Ltd', email: 'anna@example.com' },
  UpdateOperatorClient: { name: 'Example Group Ltd' },
  SuspendClient: { reason: 'Invoice 4711 is not paid', data_planes: 'running' },
  ActForClient: { reason: 'Ticket 4711: the listener answers 503' },
  Company: { company: 'Example Research Ltd' },
};

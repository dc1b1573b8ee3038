import { expect, test } from 'vitest';
import { faultOf } from './faults.ts';

test.each([
  [404, { faultcode: 'Client', faultstring: 'Listener 1 not found.' }, 'missing', 'Listener 1 not found.'],
  [409, { faultstring: 'Load Balancer 1 is immutable' }, 'conflict', 'Load Balancer 1 is immutable'],
  [403, { faultstring: 'Quota has been met for resources: Load Balancer' }, 'quota', /Quota has been met/],
  [403, { faultstring: 'Policy does not allow this request to be performed.' }, 'forbidden', /Policy/],
  [501, { faultstring: "Provider 'ovn' does not support HTTP" }, 'refused', /does not support/],
  [
    409,
    { NeutronError: { type: 'OverQuota', message: 'Quota exceeded for resources: ["port"].', detail: '' } },
    'quota',
    /Quota/,
  ],
  [
    409,
    { NeutronError: { type: 'IpAddressAlreadyAllocated', message: 'IP address in use' } },
    'conflict',
    'IP address in use',
  ],
  [400, { badRequest: { code: 400, message: 'Invalid input' } }, 'refused', 'Invalid input'],
  [413, { overLimit: { code: 413, message: 'VolumeLimitExceeded' } }, 'quota', 'VolumeLimitExceeded'],
  [
    401,
    { error: { code: 401, message: 'The request you have made requires authentication.' } },
    'credentials',
    /authentication/,
  ],
  [
    400,
    { faultstring: "Could not retrieve certificate: ['http://keys/v1/secrets/1']" },
    'missing',
    /retrieve certificate/,
  ],
  [
    403,
    { title: 'Forbidden', code: 403, description: 'Quota reached for project' },
    'quota',
    /^Quota reached/,
  ],
  [503, '<html>Service Unavailable</html>', 'unavailable', 'the answer was 503'],
  [429, 'slow down', 'unavailable', 'slow down'],
])('%i %j is %s', (status, body, kind, message) => {
  const fault = faultOf(status, typeof body === 'string' ? body : JSON.stringify(body));
  expect(fault).toMatchObject({ kind, status });
  expect(fault.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
});

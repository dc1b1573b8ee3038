import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../../test/harness/server.ts';
import { logSteps } from './provider-steps.ts';

test('each step of a provider is in the log at debug, with the task and the request that it is for', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const server = await startTestServer({ log, aroundProvider: (provider) => logSteps(provider, log) });
  onTestFinished(() => server.close());
  const reply = await server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name: 'web' } });
  const task = await server.ended(reply);
  expect(task.state).toBe('FINISHED');
  const steps = lines.filter((line) => line.task === task.id && String(line.msg).startsWith('provider: '));
  expect(steps.map(({ step }) => step)).toContain('loadBalancers.apply');
  for (const step of steps) {
    expect(step).toMatchObject({
      level: 20,
      requestId: reply.headers['x-request-id'],
      type: 'create_loadbalancer',
      ms: expect.any(Number),
    });
  }
});

import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TooManyRequests } from '../../kernel/errors.ts';
import type { SharedCounts } from '../limits/shared-counts.ts';
import { sourceOf } from '../limits/source.ts';

type Answer = (error: Error | null, result: { current: number; ttl: number }) => void;

/** Requests per minute of a token, of a person, or of a source where there is neither, over all routes and nodes. */
export async function limitRate(
  app: FastifyInstance,
  perMinute: number,
  counts: SharedCounts,
): Promise<void> {
  class Store {
    incr(key: string, answer: Answer): void {
      const { count, resetMs } = counts.add(key);
      answer(null, { current: count, ttl: resetMs });
    }

    child(): Store {
      return this;
    }
  }
  await app.register(rateLimit, {
    global: false,
    hook: 'preValidation',
    max: perMinute,
    timeWindow: 60_000,
    store: Store,
    keyGenerator: keyOf,
    errorResponseBuilder: (_request, context) => new TooManyRequests(context.ttl),
  });
}

function keyOf({ caller, ip }: FastifyRequest): string {
  if (caller.tokenId) return `token ${caller.tokenId}`;
  return caller.userId ? `user ${caller.userId}` : `source ${sourceOf(ip)}`;
}

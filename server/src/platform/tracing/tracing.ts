import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf } from '../../kernel/errors.ts';

/** Traces: what was done for whom, from the request to the task to the provider. Who traces gets a `Tracing`; without
 *  one nothing of it is loaded, and nothing is done. */
export interface Tracing {
  /** @param parent what it is a part of: a span of here, or the `traceparent` of one that may be elsewhere */
  begin(name: string, kind: SpanKind, parent: Parent, attributes: Attributes): Span;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

export type SpanKind = 'server' | 'consumer' | 'internal';
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Parent = Span | TraceHeaders | undefined;

/** https://www.w3.org/TR/trace-context/ */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

export interface Span {
  /** Names it to others, in the form of the header. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  fail(reason: string): void;
  end(): void;
}

/** The span of the run of a task that is under way, for what is done on its behalf without knowing it. */
const runs = new AsyncLocalStorage<{ readonly tracing: Tracing; readonly span: Span }>();

/** Does something as a span, which what it does becomes part of. */
export async function traced<T>(
  tracing: Tracing | undefined,
  begin: (tracing: Tracing) => Span,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!tracing) return work(undefined);
  const span = begin(tracing);
  try {
    return await runs.run({ tracing, span }, () => work(span));
  } catch (error) {
    span.fail(messageOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Makes a span of a call, if it is part of one.
 *  @returns what the call returns */
export function tracedCall(name: string, attributes: Attributes, call: () => unknown): unknown {
  const run = runs.getStore();
  if (!run) return call();
  const span = run.tracing.begin(name, 'internal', run.span, attributes);
  const failed = (error: unknown) => {
    span.fail(messageOf(error));
    span.end();
  };
  try {
    const result = runs.run({ ...run, span }, call);
    if (result instanceof Promise) result.then(() => span.end(), failed);
    else span.end();
    return result;
  } catch (error) {
    failed(error);
    throw error;
  }
}

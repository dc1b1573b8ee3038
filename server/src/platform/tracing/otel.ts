import type { Span as OtelSpan } from '@opentelemetry/api';
import type { Logger } from '../../kernel/log.ts';
import type { TracingSettings } from './settings.ts';
import type { Attributes, Parent, Span, SpanKind, Tracing } from './tracing.ts';

export interface TracingOptions extends TracingSettings {
  readonly log: Logger;
  readonly version: string;
  readonly node: string;
  readonly role: string;
}

/** A collector that is away is said this often. */
const SAY_EVERY_MS = 60_000;

/** Loads OpenTelemetry and begins to trace. Its libraries are imported here alone, so that they are not loaded by who
 *  does not trace. They read the settings of endpoint, sampling and batches themselves. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const [api, { BasicTracerProvider, BatchSpanProcessor }, core, resources, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
      options.protocol === 'http/json'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto'),
    ]);
  const { log, version, node, role, headers } = options;
  sayFaults(api, log);
  const named = resources.detectResources({ detectors: [resources.envDetector] });
  const own = {
    'service.name': 'virga',
    'service.version': version,
    'service.instance.id': `${node}-${role}`,
  };
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ ...own, 'host.name': node, 'virga.role': role }))
    .merge(named);
  const exporter = new OTLPTraceExporter(headers ? { headers: core.parseKeyPairsIntoRecord(headers) } : {});
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  const tracer = provider.getTracer('virga', version);
  const propagator = new core.W3CTraceContextPropagator();
  const spans = new WeakMap<Span, OtelSpan>();

  const contextOf = (parent: Parent) => {
    const { ROOT_CONTEXT, trace, defaultTextMapGetter } = api;
    if (!parent) return ROOT_CONTEXT;
    const here = 'end' in parent ? spans.get(parent) : undefined;
    if (here) return trace.setSpan(ROOT_CONTEXT, here);
    return propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);
  };
  const KINDS = {
    server: api.SpanKind.SERVER,
    consumer: api.SpanKind.CONSUMER,
    internal: api.SpanKind.INTERNAL,
  } satisfies Record<SpanKind, number>;

  return {
    begin(name, kind, parent, attributes) {
      const started = tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent));
      const span = wrap(started, api.SpanStatusCode.ERROR);
      spans.set(span, started);
      return span;
    },
    close: () => provider.shutdown(),
  };
}

function wrap(span: OtelSpan, error: number): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
    set: (attributes: Attributes) => void span.setAttributes({ ...attributes }),
    fail: (message) => void span.setStatus({ code: error, message }),
    end: () => span.end(),
  };
}

/** What the libraries say goes into the log: a collector that is away once a minute, everything else at debug. */
function sayFaults(api: typeof import('@opentelemetry/api'), log: Logger): void {
  let silentUntil = 0;
  const quietly = (message: string) => log.debug(`traces: ${message}`);
  const error = (message: string) => {
    const now = performance.now();
    if (now < silentUntil) return quietly(message);
    silentUntil = now + SAY_EVERY_MS;
    log.warn(`traces could not be sent: ${message.slice(0, 300)}`);
  };
  api.diag.setLogger({ error, warn: quietly, info: quietly, debug: quietly, verbose: () => {} });
}

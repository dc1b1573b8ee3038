/** Where traces go, by the names of the OpenTelemetry specification. What is not here is read by its libraries. */
export interface TracingSettings {
  readonly protocol: 'http/protobuf' | 'http/json';
  /** `name=value`, with commas between; undefined: none. */
  readonly headers: string | undefined;
}

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/** @returns undefined where nothing is traced, because no endpoint is named or it is switched off
 *  @param faults gets a sentence for each setting that cannot be used */
export function readTracingSettings(
  env: Readonly<Record<string, string | undefined>>,
  faults: string[],
): TracingSettings | undefined {
  const text = (name: string) => env[name]?.trim() || undefined;
  const endpoints = ENDPOINTS.filter((name) => text(name) !== undefined);
  const exporter = text('OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (endpoints.length === 0 || text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') faults.push(`OTEL_TRACES_EXPORTER must be otlp or none, not "${exporter}"`);
  for (const name of endpoints) {
    const url = text(name) ?? '';
    if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) continue;
    faults.push(`${name} must be the URL of a collector, such as http://127.0.0.1:4318, not "${url}"`);
  }
  const name = text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL')
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const requested = text(name) ?? 'http/protobuf';
  const protocol = PROTOCOLS.find((each) => each === requested);
  if (!protocol) faults.push(`${name} must be ${PROTOCOLS.join(' or ')}, not "${requested}"`);
  const headers = text('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? text('OTEL_EXPORTER_OTLP_HEADERS');
  return { protocol: protocol ?? 'http/protobuf', headers };
}

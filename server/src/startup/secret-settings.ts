/** Settings that are secret, or hold a secret. Each may stand in a file instead, whose path is in `NAME_FILE`, so that
 *  the environment, which others can often read, holds none. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'SMTP_URL',
  'VIRGA_API_KEY',
  'VIRGA_MASTER_KEY',
  'VIRGA_VIDEO_SECRETS',
  'VIRGA_EDGE_REPORT_TOKEN',
  'VIRGA_EDGE_S3_CREDENTIALS',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
] as const;

export const SECRET_FILE_SETTINGS: readonly string[] = SECRET_SETTINGS.map((name) => `${name}_FILE`);

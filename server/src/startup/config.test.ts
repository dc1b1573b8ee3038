import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../features/secrets/testing/certificates.ts';
import { ConfigError, readConfig } from './config.ts';
import { SECRET_SETTINGS } from './secret-settings.ts';
import { COMMAND_SETTINGS } from './start-options.mjs';

const TRACED = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('the configuration', () => {
  test('has a default for everything, and binds loopback alone', () => {
    expect(readConfig({}, [], '/home/me')).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: '/home/me/.virga',
      role: 'all',
      timeScale: 0.05,
    });
  });

  test.each([
    [{ PORT: 'http' }, 'PORT'],
    [{ PORT: '70000' }, 'PORT'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgresql://me:secret@db1:5432,db2:5432/virga' }, 'DATABASE_URL must name one host'],
    [{ DATABASE_URL: 'postgresql:///virga?host=db1,db2' }, 'DATABASE_URL must name one host'],
    [{ VIRGA_ROLE: 'boss' }, 'VIRGA_ROLE'],
    [{ VIRGA_TIME_SCALE: '-1' }, 'VIRGA_TIME_SCALE'],
    [{ VIRGA_MASTER_KEY: 'short' }, 'VIRGA_MASTER_KEY'],
    [{ VIRGA_MASTER_KEY: `${Buffer.alloc(32).toString('base64')},short` }, 'VIRGA_MASTER_KEY'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ VIRGA_TASKS_KEPT: '-1' }, 'VIRGA_TASKS_KEPT'],
    [{ VIRGA_AUDIT_LOG_KEPT: '1.5' }, 'VIRGA_AUDIT_LOG_KEPT'],
    [{ VIRGA_API_KEY: 'a b' }, 'VIRGA_API_KEY'],
    [{ VIRGA_PROT: '1' }, 'VIRGA_PROT'],
    [{ VIRGA_VIDEO_SECRET: 'x' }, 'VIRGA_VIDEO_SECRET'],
    [{ VIRGA_VIDEO_SECRETS: 'long-enough, short' }, 'VIRGA_VIDEO_SECRETS'],
    [{ VIRGA_VIDEO_ACCOUNT_ID: 'me' }, 'VIRGA_VIDEO_ACCOUNT_ID'],
    [{ VIRGA_VIDEO_TRUSTED_PROXIES: '10.0.0.0/33' }, 'VIRGA_VIDEO_TRUSTED_PROXIES'],
    [{ VIRGA_VIDEO_CORS_ORIGINS: 'player.test' }, 'VIRGA_VIDEO_CORS_ORIGINS'],
    [{ VIRGA_VIDEO_AUTHORIZE_URL: 'ftp://x' }, 'VIRGA_VIDEO_AUTHORIZE_URL'],
    [{ VIRGA_CDN_URL: 'https://a.test', VIRGA_CDN_IP_URL: 'https://a.test' }, 'VIRGA_CDN_IP_URL'],
    [{ VIRGA_CDN_URL: 'cdn.test' }, 'VIRGA_CDN_URL'],
    [{ VIRGA_EDGE: 'maybe' }, 'VIRGA_EDGE'],
    [{ VIRGA_EDGE_PORT: '99999' }, 'VIRGA_EDGE_PORT'],
    [{ VIRGA_EDGE_ORIGIN: 'ftp://origin' }, 'VIRGA_EDGE_ORIGIN'],
    [{ VIRGA_EDGE_REPORT_URL: 'http://x.test' }, 'VIRGA_EDGE_REPORT_TOKEN'],
    [{ VIRGA_TRUSTED_PROXIES: '10.0.0.0/33' }, 'VIRGA_TRUSTED_PROXIES'],
    [{ VIRGA_TLS_CERT: 'cert.pem' }, 'VIRGA_TLS_KEY'],
    [{ VIRGA_ACCESS_LOG: 'maybe' }, 'VIRGA_ACCESS_LOG'],
    [{ VIRGA_DRAIN_SECONDS: '61' }, 'VIRGA_DRAIN_SECONDS'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ ...TRACED, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    [{ ...TRACED, OTEL_TRACES_EXPORTER: 'jaeger' }, 'OTEL_TRACES_EXPORTER'],
    [{ VIRGA_API_KEY_FILE: '/nowhere/at/all' }, 'VIRGA_API_KEY_FILE'],
    [{ VIRGA_API_KEY: 'a-good-key', VIRGA_API_KEY_FILE: '/dev/null' }, 'both set'],
    [{ VIRGA_TIMESCALE: '1' }, 'did you mean VIRGA_TIME_SCALE?'],
    [{ VIRGA_REGION: 'x.json' }, 'did you mean VIRGA_REGIONS?'],
    [{ VIRGA_PORT: '80' }, 'did you mean PORT?'],
  ])('%j is refused in one line that names it', (env, name) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(name);
    expect(() => readConfig(env)).not.toThrow('\n');
  });

  test('a certificate and a key that cannot be used are refused in one line that names them', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'virga-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [pair, other] = await Promise.all(['a.test', 'b.test'].map((name) => makeCertificate([name])));
    const write = (name: string, text = '') => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const VIRGA_TLS_CERT = write('cert.pem', pair?.certificate);
    const VIRGA_TLS_KEY = write('key.pem', pair?.privateKey);
    const good = readConfig({ VIRGA_TLS_CERT, VIRGA_TLS_KEY });
    expect(good.tls).toEqual({ certificate: VIRGA_TLS_CERT, key: VIRGA_TLS_KEY });
    for (const wrong of [
      path.join(folder, 'missing'),
      write('other.pem', other?.privateKey),
      write('empty'),
    ]) {
      const start = () => readConfig({ VIRGA_TLS_CERT, VIRGA_TLS_KEY: wrong });
      expect(start).toThrow(ConfigError);
      expect(start).toThrow(/^VIRGA_TLS_CERT and VIRGA_TLS_KEY cannot be used: [^\n]+$/);
    }
  });

  test('what resembles no setting suggests none', () => {
    expect(() => readConfig({ VIRGA_COMPLETELY_DIFFERENT: '1' })).not.toThrow('did you mean');
  });

  test('what a start says of its server, and what the command reads, may be in the environment of the next', () => {
    const facts = {
      VIRGA_URL: 'http://127.0.0.1:1',
      VIRGA_PID: '1',
      VIRGA_LOG: '/l',
      VIRGA_CREDENTIALS: '/c',
    };
    expect(readConfig(facts)).toEqual(readConfig({}));
    const command = Object.fromEntries(COMMAND_SETTINGS.map((name) => [name, '1']));
    expect(readConfig(command)).toEqual(readConfig({}));
    expect(() => readConfig({ VIRGA_URI: 'x' })).not.toThrow('VIRGA_URL');
  });

  test('traces only where an endpoint is named, unless that is switched off', () => {
    const tracing = (env: object) => readConfig({ ...env }).tracing;
    expect(tracing({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBeUndefined();
    expect(tracing(TRACED)).toEqual({ protocol: 'http/protobuf', headers: undefined });
    expect(tracing({ ...TRACED, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(tracing({ ...TRACED, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  });

  test('a node with proxies before it is drained for two seconds, unless set otherwise', () => {
    const proxies = { VIRGA_TRUSTED_PROXIES: '10.0.0.0/8' };
    expect(readConfig({}).drainMs).toBe(0);
    expect(readConfig(proxies).drainMs).toBe(2_000);
    expect(readConfig({ ...proxies, VIRGA_DRAIN_SECONDS: '0.5' }).drainMs).toBe(500);
  });

  test.each(SECRET_SETTINGS)('%s may be in a file', (name) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'virga-secrets-'));
    const values: Record<string, string> = {
      DATABASE_URL: 'postgresql://me:secret@db/virga',
      SMTP_URL: 'smtp://me:secret@mail:587',
      VIRGA_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    const value = values[name] ?? 'a-secret-value';
    const file = path.join(folder, 'secret');
    writeFileSync(file, `${value}\n`);
    const more = name === 'VIRGA_EDGE_REPORT_TOKEN' ? { VIRGA_EDGE_REPORT_URL: 'http://x.test' } : TRACED;
    expect(readConfig({ ...more, [`${name}_FILE`]: file })).toEqual(readConfig({ ...more, [name]: value }));
    rmSync(folder, { recursive: true });
  });

  test.each([
    'postgresql://me:secret@/virga?host=%2Frun%2Fpostgresql',
    'postgresql://me:with,comma@db:5432/virga?options=-c%20a=1,2',
  ])('%s is a PostgreSQL', (url) => {
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test('video is delivered by the edge on this machine unless something else is set', () => {
    const { video } = readConfig({ VIRGA_EDGE_PORT: '9000' }, [], '/home/me');
    expect(video.cdnUrl).toBe('http://127.0.0.1:9000');
    expect(video.cdnIpUrl).toBe('http://localhost:9000');
    expect(video.edge.origin).toEqual({ folder: '/home/me/.virga/video' });
    const other = readConfig({
      VIRGA_CDN_URL: 'https://cdn.test/',
      VIRGA_EDGE_ORIGIN: 'http://up.test/a/',
    }).video;
    expect(other.cdnUrl).toBe('https://cdn.test');
    expect(other.edge.origin).toEqual({ url: 'http://up.test/a' });
  });

  test('a secret is not repeated to whoever got it wrong', () => {
    expect(() => readConfig({ VIRGA_VIDEO_SECRETS: 'hush' })).not.toThrow('hush');
  });

  test('all wrong settings are named at once', () => {
    expect(() => readConfig({ PORT: 'x', VIRGA_ROLE: 'y' })).toThrow(/PORT.*VIRGA_ROLE/);
  });

  test('tasks and the audit log are kept for a year, for as many days as is said, or for ever', () => {
    expect(readConfig({}).kept).toEqual({ tasksDays: 365, auditLogDays: 365 });
    expect(readConfig({ VIRGA_TASKS_KEPT: '0', VIRGA_AUDIT_LOG_KEPT: '30' }).kept).toEqual({
      tasksDays: 0,
      auditLogDays: 30,
    });
  });

  test('--port goes before PORT, and wrong options and settings are named at once', () => {
    expect(readConfig({ PORT: '80' }, ['--port', '81']).port).toBe(81);
    expect(readConfig({}, ['--port=82']).port).toBe(82);
    const wrong = () =>
      readConfig({ LOG_LEVEL: 'loud', VIRGA_PORT: '1' }, ['--port=x', '--nonsense', '--role']);
    for (const part of ['LOG_LEVEL', 'did you mean PORT?', '--port must be', '--nonsense', '--role needs'])
      expect(wrong).toThrow(part);
  });

  test('--role goes before VIRGA_ROLE, and other options are refused', () => {
    expect(readConfig({ VIRGA_ROLE: 'api' }, ['--role', 'worker']).role).toBe('worker');
    expect(readConfig({}, ['--role=api']).role).toBe('api');
    expect(() => readConfig({}, ['--rolle'])).toThrow('--rolle');
  });
});

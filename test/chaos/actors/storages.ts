import type { ChaosClient } from '../client.ts';
import type { Actor } from './actor.ts';

/** Storages over S3 and SFTP. Calls about them answer when they are done, and name no task: what takes longer is seen
 *  in the storage. Those of SFTP are real every other time: servers of the local region. */

interface Kind {
  readonly list: string;
  readonly body: (number: number) => object;
  /** What changes it, and what it then shows. */
  readonly change: (path: string) => readonly [write: readonly [string, string, unknown], truth: object];
}

const SFTP: Kind = {
  list: '/storage/v4/sftp_storages',
  body: (number) => ({
    location_name: number % 2 === 0 ? 'local' : 'simulated',
    name: `sftp-${number}`,
    password_mode: 'auto',
  }),
  change: (path) => [['PATCH', path, { password_mode: 'none' }], { has_password: false }],
};

const S3: Kind = {
  list: '/storage/v4/object_storages',
  body: (number) => ({ location_name: 'simulated', name: `s3-${number}` }),
  change: (path) => [['POST', `${path}/buckets`, { name: 'photos' }], {}],
};

async function live(client: ChaosClient, number: number, { list, body, change }: Kind): Promise<void> {
  const made = await client.write('POST', list, body(number));
  if (made === undefined) return;
  const path = `${list}/${made.body.id}`;
  const there = { provisioning_status: 'active', name: made.body.name };
  client.know(path, there);
  const [write, truth] = change(path);
  if (client.random() < 0.7) {
    await client.rests(path);
    client.doubt(path);
    if ((await client.write(...write)) === undefined) return;
    client.know(path, { ...there, ...truth });
  }
  if (client.random() < 0.5) return;
  await client.rests(path);
  client.doubt(path);
  if ((await client.write('DELETE', path)) !== undefined) client.know(path, 'gone');
}

export const storages: Actor = {
  weight: 3,
  live: (client, number) => live(client, number, number % 3 === 0 ? S3 : SFTP),
  all: [S3, SFTP].map(({ list }) => ({ list: `${list}?limit=1000`, one: ({ id }) => `${list}/${id}` })),
};

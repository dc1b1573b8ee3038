import { setTimeout as delay } from 'node:timers/promises';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../../test/harness/process.ts';
import { s3ClientOf } from '../../test/harness/s3.ts';
import { connectSftp } from '../../test/harness/sftp.ts';
import { type Figure, median } from './measure.ts';
import { memoryMiB, processesNaming } from './processes.ts';

const CREATIONS = 5;
const KILLS = 10;
const BUCKET = 'bench';

/** Something that can be used, and whose server can be killed. */
interface Storage {
  /** Milliseconds from the request to the first use. */
  readonly duration: number;
  readonly id: number;
  readonly use: () => Promise<void>;
}

interface Kind {
  readonly what: string;
  readonly use: string;
  readonly make: (virga: VirgaProcess, name: string) => Promise<Storage>;
  /** What the command lines of a storage's processes name, and those of its server alone. */
  readonly folder: string;
  readonly server: string;
}

/** Storages of a local region: how soon they can be used, what they use, and how soon they are back after a kill. */
export async function benchStorages(): Promise<Figure[]> {
  const dataDir = newDataDir();
  const virga = await startVirga({ dataDir });
  try {
    return [...(await measure(virga, S3)), ...(await measure(virga, SFTP))];
  } finally {
    await virga.end('SIGTERM');
    removeDataDir(dataDir);
  }
}

async function measure(virga: VirgaProcess, kind: Kind): Promise<Figure[]> {
  const storages: Storage[] = [];
  for (let i = 0; i < CREATIONS; i += 1) storages.push(await kind.make(virga, `${kind.folder}-${i}`));
  const named = ({ id }: Storage, part = '') => processesNaming(`${kind.folder}/storage-${id}/${part}`);
  const memory = median(storages.map((storage) => memoryMiB(named(storage))));
  const back: number[] = [];
  const [one] = storages;
  for (let i = 0; one && i < KILLS; i += 1) {
    for (const pid of named(one, kind.server)) process.kill(pid, 'SIGKILL');
    const since = performance.now();
    await untilUsed(one);
    back.push(performance.now() - since);
  }
  const times = storages.map(({ duration }) => duration);
  return [
    {
      what: `${kind.what}: request to ${kind.use}, median of ${CREATIONS}`,
      value: seconds(median(times)),
      goal: '',
    },
    { what: `${kind.what}: memory when idle, median`, value: `${Math.round(memory)} MiB`, goal: '' },
    {
      what: `${kind.what}: kill -9 of its server to ${kind.use}, ${KILLS} times: median, longest`,
      value: `${seconds(median(back))}, ${seconds(Math.max(...back))}`,
      goal: '',
    },
  ];
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

async function untilUsed({ use }: Storage): Promise<void> {
  for (;;) {
    try {
      return await use();
    } catch {
      await delay(10);
    }
  }
}

const S3: Kind = {
  what: 'S3 storage',
  use: 'an object written and read',
  folder: 'object-storage',
  server: 'data',
  make: async (virga, name) => {
    const since = performance.now();
    const { body } = await virga.call('POST', '/storage/v4/object_storages', {
      location_name: 'local',
      name,
    });
    await virga.call('POST', `/storage/v4/object_storages/${body.id}/buckets`, { name: BUCKET });
    const [key] = body.access_keys;
    const client = s3ClientOf(body.address, key);
    const object = { Bucket: BUCKET, Key: 'object' };
    const use = async () => {
      await client.send(new PutObjectCommand({ ...object, Body: 'content' }));
      await (await client.send(new GetObjectCommand(object))).Body?.transformToString();
    };
    await use();
    return { duration: performance.now() - since, id: body.id, use };
  },
};

const SFTP: Kind = {
  what: 'SFTP storage',
  use: 'a file written and read',
  folder: 'sftp-storage',
  server: 'orders.json',
  make: async (virga, name) => {
    const since = performance.now();
    const requested = { location_name: 'local', name, password_mode: 'auto' };
    const { body } = await virga.call('POST', '/storage/v4/sftp_storages', requested);
    const use = async () => {
      const files = await connectSftp({
        address: body.address,
        username: body.full_name,
        password: body.password,
      });
      try {
        await files.write('/file', 'content');
        await files.read('/file');
      } finally {
        files.end();
      }
    };
    await use();
    return { duration: performance.now() - since, id: body.id, use };
  },
};

import { type Preparation, patch, post, remove, type Scenario } from './scenario.ts';
import { storageMade, waits } from './storage.ts';

const STORAGES = '/storage/v4/sftp_storages';
const KEYS = '/storage/v4/ssh_keys';
const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@virga';

/** Storages and keys are numbered, and passwords salted, anew each time. */
const MADE = [
  /"(id|storage_id)":"?\d+"?/g,
  /"ssh_key_ids":\[[^\]]*\]/g,
  /"ssh_key_ids": \[[^\]]*\]/g,
  /^\S+ \d+ /g,
  /sftp-\d+\./g,
  /scrypt:[^"]*/g,
];

const newStorage = () =>
  waits(post(STORAGES, { location_name: 'simulated', name: 'deliveries', password_mode: 'auto' }));

const storage = storageMade(STORAGES, newStorage);

async function withKey(setup: Preparation): Promise<string> {
  const path = await storage(setup);
  await setup.call(post(KEYS, { name: 'laptop', public_key: PUBLIC_KEY }));
  const { body } = await setup.call({ method: 'GET', path: KEYS });
  return `${path} ${body.results[0].id}`;
}

const all: Readonly<Record<string, Scenario>> = {
  create_sftp_storage: { start: newStorage },
  update_sftp_storage: {
    prepare: withKey,
    start: (both = '') => {
      const [path = '', key] = both.split(' ');
      return waits(patch(path, { password_mode: 'none', ssh_key_ids: [Number(key)] }));
    },
  },
  delete_sftp_storage: { prepare: storage, start: (path = '') => waits(remove(path)) },
};

export const sftpStorages = Object.fromEntries(
  Object.entries(all).map(([type, scenario]) => [type, { ...scenario, blur: MADE }]),
);

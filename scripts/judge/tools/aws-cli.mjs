// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pythonPackages } from '../packages.mjs';
import { storageEnv } from '../storages.mjs';

/** @type {import('../tool.d.ts').Tool} */
export const awsCli = {
  name: 'aws-cli',
  version: '1.46.3',
  does: 'an object storage: buckets, uploads in parts, `sync`, downloads, deletions',
  needs: ['python3'],
  async run(context) {
    const { work } = context;
    const bin = await pythonPackages(context, ['awscli==1.46.3']);
    const env = await storageEnv(context);
    const aws = (/** @type {string[]} */ ...words) =>
      context.run(path.join(bin, 'aws'), ['s3', ...words], { env });
    const content = Buffer.alloc(20_000_000, 'abc');
    writeFileSync(path.join(work, 'large'), content);
    await aws('mb', 's3://cli');
    await aws('cp', 'large', 's3://cli/a folder/large');
    await aws('sync', '.', 's3://cli/tree');
    await aws('cp', 's3://cli/a folder/large', 'back');
    if (!readFileSync(path.join(work, 'back')).equals(content)) throw new Error('a download differs');
    if (!(await aws('ls', '--recursive', 's3://cli')).includes('tree/large'))
      throw new Error('a name is missing');
    await aws('rb', '--force', 's3://cli');
    return undefined;
  },
};

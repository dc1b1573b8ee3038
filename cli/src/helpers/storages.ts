import type { Command } from 'commander';
import type { Schemas } from '../../../client/src/index.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../failures.ts';
import { addOperation, type Fields } from '../operation-command.ts';
import { operation } from '../operations.ts';
import type { Given } from '../run-operation.ts';
import type { Terminal } from '../terminal.ts';

/** `storage create media >> ~/.aws/config` */
export function addStorageHelpers(noun: Command, terminal: Terminal): void {
  addOperation(noun, operation('createObjectStorage'), terminal, {
    means: 'Create an S3 storage, and print a profile for ~/.aws/config; its secret key is shown once',
    instead: create,
  });
}

async function create({ flags, body }: Given, context: Context): Promise<void> {
  const { client } = context.connect();
  const fields: Fields = { ...body, ...flags };
  const location = fields.location_name ?? (await usualLocation(context));
  if (typeof fields.name !== 'string') throw new UsageError('A name is needed: virga storage create media');
  const made = await client.post('/storage/v4/object_storages', {
    body: { name: fields.name, location_name: String(location) },
  });
  const [key] = made.access_keys;
  const address = made.address || (await addressOf(made.id, context));
  if (context.globals.output && context.globals.output !== 'table')
    return context.print({ ...made, address });
  const lines = [
    `[profile ${made.name}]`,
    `aws_access_key_id = ${key?.access_key}`,
    `aws_secret_access_key = ${key?.secret_key}`,
    `endpoint_url = ${address}`,
    `region = ${made.location_name}`,
    's3 =',
    '  addressing_style = path',
  ];
  context.terminal.print(lines.join('\n'));
}

/** That of the usual region, or the first one. */
async function usualLocation(context: Context): Promise<string> {
  const connection = context.connect();
  const { results } = await connection.client.get('/storage/v4/locations');
  const region = await connection.region(context.globals.region);
  const { slug } = await connection.client.get('/cloud/v1/regions/{region_id}', {
    params: { path: { region_id: region } },
  });
  const offered = results.filter(({ type }) => type === 's3_compatible');
  const location = offered.find(({ name }) => name === slug) ?? offered[0];
  if (!location) throw new UsageError('There is no location for S3 storages here');
  return location.name;
}

const LOOKS = 60;
const LOOK_EVERY_MS = 500;

/** A storage has its address once it is created. */
async function addressOf(id: number, context: Context): Promise<string> {
  const { client } = context.connect();
  const line = context.globals.quiet ? undefined : context.terminal.progress('Creating the storage');
  for (let look = 0; look < LOOKS; look++) {
    const { address }: Schemas['ObjectStorage'] = await client.get(
      '/storage/v4/object_storages/{storage_id}',
      {
        params: { path: { storage_id: id } },
      },
    );
    if (address) {
      line?.end('Creating the storage: done', true);
      return address;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  line?.clear();
  return '';
}

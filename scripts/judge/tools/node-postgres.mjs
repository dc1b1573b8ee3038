// @ts-check
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { databaseEnv, POOLED } from '../databases.mjs';
import { npmPackages } from '../packages.mjs';

const PROGRAM = `
import assert from 'node:assert/strict';
import pg from 'pg';

const connect = async (options) => {
  const client = new pg.Client({ ssl: { rejectUnauthorized: false }, ...options });
  await client.connect();
  return client;
};
const use = async (i) => {
  const client = await connect();
  for (let round = 0; round < 20; round += 1) {
    const { rows } = await client.query({ name: 'sum', text: 'select $1::int + $2::int as sum', values: [i, round] });
    assert.equal(rows[0].sum, i + round);
  }
  await client.end();
};
await Promise.all(Array.from({ length: 40 }, (_, i) => use(i)));
const client = await connect({ options: '-c timezone=Asia/Tokyo' });
assert.equal((await client.query('show timezone')).rows[0].TimeZone, 'Asia/Tokyo');
await client.end();
await assert.rejects(connect({ statement_timeout: 5000 }), /unsupported startup parameter: statement_timeout/);
`;

/** @type {import('../tool.d.ts').Tool} */
export const nodePostgres = {
  name: 'node-postgres',
  version: '8.23.1',
  does: POOLED,
  async run(context) {
    const folder = await npmPackages(context, ['pg@8.23.1']);
    writeFileSync(path.join(folder, 'main.js'), PROGRAM);
    const env = { ...(await databaseEnv(context)), PGSSLMODE: undefined };
    await context.run(process.execPath, ['main.js'], { cwd: folder, env });
    return undefined;
  },
};

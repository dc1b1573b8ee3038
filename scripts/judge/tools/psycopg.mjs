// @ts-check
import path from 'node:path';
import { databaseEnv, POOLED } from '../databases.mjs';
import { pythonPackages } from '../packages.mjs';

const PROGRAM = `
import asyncio
import psycopg

async def client(i):
    async with await psycopg.AsyncConnection.connect(prepare_threshold=0, autocommit=True) as connection:
        for round in range(20):
            cursor = await connection.execute("select %s::int + %s::int", (i, round))
            assert (await cursor.fetchone())[0] == i + round

async def main():
    await asyncio.gather(*(client(i) for i in range(40)))

asyncio.run(main())
with psycopg.connect(options="-c timezone=Asia/Tokyo") as connection:
    assert connection.execute("show timezone").fetchone()[0] == "Asia/Tokyo"
try:
    psycopg.connect(options="-c statement_timeout=5s")
    raise AssertionError("statement_timeout was ignored")
except psycopg.OperationalError as error:
    assert "unsupported startup parameter in options: statement_timeout" in str(error), error
`;

/** @type {import('../tool.d.ts').Tool} */
export const psycopg = {
  name: 'psycopg',
  version: '3.3.9',
  does: POOLED,
  needs: ['python3'],
  async run(context) {
    const bin = await pythonPackages(context, ['psycopg[binary]==3.3.9']);
    await context.run(path.join(bin, 'python'), ['-'], { input: PROGRAM, env: await databaseEnv(context) });
    return undefined;
  },
};

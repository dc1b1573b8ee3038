// @ts-check
import path from 'node:path';
import { databaseEnv, POOLED } from '../databases.mjs';
import { pythonPackages } from '../packages.mjs';

const PROGRAM = `
import asyncio
import asyncpg

async def client(i):
    connection = await asyncpg.connect()
    statement = await connection.prepare("select $1::int + $2::int")
    for round in range(20):
        assert await statement.fetchval(i, round) == i + round
    await connection.close()

async def main():
    await asyncio.gather(*(client(i) for i in range(40)))
    async with asyncpg.create_pool(max_size=10) as pool:
        assert sum(await asyncio.gather(*(pool.fetchval("select $1::int", i) for i in range(100)))) == 4950
    connection = await asyncpg.connect(server_settings={"TimeZone": "Asia/Tokyo"})
    assert await connection.fetchval("show timezone") == "Asia/Tokyo"
    await connection.close()
    try:
        await asyncpg.connect(server_settings={"statement_timeout": "5s"})
        raise AssertionError("statement_timeout was ignored")
    except asyncpg.PostgresError as error:
        assert "unsupported startup parameter: statement_timeout" in str(error), error

asyncio.run(main())
`;

/** @type {import('../tool.d.ts').Tool} */
export const asyncpg = {
  name: 'asyncpg',
  version: '0.32.0',
  does: POOLED,
  needs: ['python3'],
  async run(context) {
    const bin = await pythonPackages(context, ['asyncpg==0.32.0']);
    await context.run(path.join(bin, 'python'), ['-'], { input: PROGRAM, env: await databaseEnv(context) });
    return undefined;
  },
};

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { resealInferenceSecrets } from '../../features/inference-secrets/index.ts';
import { Db } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { Cipher } from './cipher.ts';
import { keyFile, newKey, readKeyFile, writeKeyFile } from './key-file.ts';
import { openCipher } from './master-keys.ts';
import { rotateKeys } from './rotation.ts';

let database: TestDatabase;
let db: Db;
let dataDir: string;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new Db({ connection: database.connection, log: pino({ level: 'silent' }) });
  dataDir = mkdtempSync(path.join(tmpdir(), 'virga-keys-'));
  await db.run(sql`insert into clients (name, email) values ('One', 'one@virga.test')`);
  await db.run(sql`insert into projects (client_id, name, created_at) values (1, 'p', now())`);
});

afterEach(async () => {
  await db.close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

const options = (configured: readonly Buffer[] = []) => ({
  db,
  configured,
  dataDir,
  timestamp: '2026-01-01T00:00:00Z',
});

async function store(cipher: Cipher, name: string, value: string): Promise<void> {
  const { keyId, box } = cipher.seal(value, `inference_secrets/1/${name}`);
  await db.run(sql`insert into inference_secrets (project_id, name, type, key_id, sealed, created_at, updated_at)
     values (1, ${name}, 'aws-iam', ${keyId}, ${box}, now(), now())`);
}

async function load(cipher: Cipher, name: string): Promise<string> {
  const [row] = await db.rows<{ key_id: string; sealed: Buffer }>(
    sql`select key_id, sealed from inference_secrets where name = ${name}`,
  );
  if (!row) throw new Error(`${name} is missing`);
  return cipher.open({ keyId: row.key_id, box: row.sealed }, `inference_secrets/1/${name}`);
}

describe('the cipher', () => {
  test('opens what it sealed, under any of its keys, and nothing that was changed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.nat(), (plain, context, where) => {
        const old = newKey();
        const sealed = new Cipher([old]).seal(plain.toWellFormed(), context);
        const cipher = new Cipher([newKey(), old]);
        expect(cipher.open(sealed, context)).toBe(plain.toWellFormed());
        expect(() => cipher.open(sealed, `${context}x`)).toThrow();
        const box = Buffer.from(sealed.box);
        box[where % box.length] = (box[where % box.length] ?? 0) ^ 1;
        expect(() => cipher.open({ ...sealed, box }, context)).toThrow();
        expect(() => new Cipher([newKey()]).open(sealed, context)).toThrow(/is not among those configured/);
      }),
    );
  });
});

describe('the key of a data directory', () => {
  test('is made on the first start, for its owner alone, and found again', async () => {
    const first = await openCipher(options());
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600);
    await store(first, 'kept', 'value');
    expect(await load(await openCipher(options()), 'kept')).toBe('value');
  });

  test('is one key, however many nodes start at once', async () => {
    const ciphers = await Promise.all(Array.from({ length: 5 }, () => openCipher(options())));
    expect(new Set(ciphers.map(({ currentKeyId }) => currentKeyId)).size).toBe(1);
  });

  test('is not made anew when the database already needs another', async () => {
    await openCipher(options());
    rmSync(keyFile(dataDir));
    await expect(openCipher(options())).rejects.toThrow(/holds secrets under the master key [0-9a-f]{16}/);
    await expect(openCipher(options([newKey()]))).rejects.toThrow(/not in VIRGA_MASTER_KEY/);
    expect(readKeyFile(dataDir)).toEqual([]);
  });

  test('that is damaged stops the start with one line', async () => {
    writeFileSync(keyFile(dataDir), 'garbage\n');
    await expect(openCipher(options())).rejects.toThrow(/must hold keys of 32 bytes/);
  });
});

describe('a rotation', () => {
  test('of the data directory encrypts everything anew and forgets the old key', async () => {
    const before = await openCipher(options());
    await store(before, 'one', '1');
    await store(before, 'two', '2');
    const old = readKeyFile(dataDir);
    const { values, keyId } = await rotateKeys(options(), [resealInferenceSecrets]);
    expect(values).toBe(2);
    expect(keyId).not.toBe(before.currentKeyId);
    const after = await openCipher(options());
    expect(after.keyIds).toEqual([keyId]);
    expect([await load(after, 'one'), await load(after, 'two')]).toEqual(['1', '2']);
    expect(readFileSync(keyFile(dataDir), 'utf8')).not.toContain(old[0]?.toString('base64'));
    await expect(
      store(before, 'late', '3'),
      'a node with the old key alone writes nothing unreadable',
    ).rejects.toThrow();
  });

  test('that ends half-way loses nothing and is completed by the next', async () => {
    await store(await openCipher(options()), 'one', '1');
    const broken = async () => {
      throw new Error('the power went');
    };
    await expect(rotateKeys(options(), [resealInferenceSecrets, broken])).rejects.toThrow('the power went');
    expect(await load(await openCipher(options()), 'one')).toBe('1');
    expect(readKeyFile(dataDir)).toHaveLength(2);
    await rotateKeys(options(), [resealInferenceSecrets]);
    expect(readKeyFile(dataDir)).toHaveLength(1);
    expect(await load(await openCipher(options()), 'one')).toBe('1');
  });

  test('of configured keys goes from the second to the first', async () => {
    const [old, next] = [newKey(), newKey()];
    await store(await openCipher(options([old])), 'one', '1');
    await expect(rotateKeys(options([next]), [])).rejects.toThrow(/a comma and the old one/);
    await rotateKeys(options([next, old]), [resealInferenceSecrets]);
    expect(await load(await openCipher(options([next])), 'one')).toBe('1');
    await expect(openCipher(options([old]))).rejects.toThrow(/not in VIRGA_MASTER_KEY/);
  });

  test('writes the file in one step', () => {
    const keys = [newKey(), newKey()];
    writeKeyFile(dataDir, keys);
    expect(readKeyFile(dataDir)).toEqual(keys);
  });
});

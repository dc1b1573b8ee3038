import { expect, test } from 'vitest';
import { TaskFailed } from '../../kernel/errors.ts';
import { EngineFault } from './faults.ts';
import { KeyManager } from './key-manager.ts';
import type { Session } from './session.ts';
import { desiredLoadBalancer, desiredPool } from './testing/desired.ts';

/** What is kept for a load balancer, by what one list says. */

interface Line {
  readonly name: string;
  readonly mode: string | null;
  readonly secret_ref: string;
  readonly created: string;
}

/** A key manager in memory. */
function barbican(status?: number) {
  const kept: Line[] = [];
  const call = async (_service: string, method: string, path: string, body?: object) => {
    const { searchParams, pathname } = new URL(path, 'http://keys');
    if (method === 'DELETE') {
      kept.splice(0, kept.length, ...kept.filter((each) => !each.secret_ref.endsWith(pathname)));
      return {};
    }
    if (method === 'POST') {
      if (status !== undefined) throw new EngineFault('quota', status, JSON.stringify(body));
      const secret_ref = `http://keys/v1/secrets/${kept.length}`;
      kept.push(Object.assign({ mode: null, secret_ref, created: `${kept.length}` }, body as Line));
      return { secret_ref };
    }
    const [from, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))];
    const [wanted] = searchParams.getAll('name');
    const of = kept.filter(({ name }) => wanted === undefined || name === wanted);
    const secrets = of.slice(from, from + limit);
    return { secrets };
  };
  return { kept, keyManager: new KeyManager({ call } as unknown as Session) };
}

const trusting = (...bundles: readonly string[]) =>
  desiredLoadBalancer({
    pools: bundles.map((caBundle) =>
      desiredPool({ tls: { caBundle, crl: null, clientCertificate: null }, members: [] }),
    ),
  });

test('each content is kept once, and what nothing wants any more is surplus', async () => {
  const { kept, keyManager } = barbican();
  expect(await keyManager.keep(trusting('a', 'b', 'a'))).toMatchObject({ made: 2, surplus: [] });
  expect(await keyManager.keep(trusting('b', 'a'))).toMatchObject({ made: 0, surplus: [] });
  const { refs, made, surplus } = await keyManager.keep(trusting('b', 'c'));
  expect({ made, surplus }).toEqual({ made: 1, surplus: ['0'] });
  expect([...refs.values()]).toEqual(['http://keys/v1/secrets/1', 'http://keys/v1/secrets/2']);
  for (const id of await keyManager.ids(trusting().id)) await keyManager.remove(id);
  expect(kept).toEqual([]);
});

test('of two that a lost answer has left the oldest is kept, among more than one page', async () => {
  const { kept, keyManager } = barbican();
  await keyManager.keep(trusting('a'));
  const [first] = kept;
  for (let index = 1; index < 120; index++)
    kept.push(Object.assign({}, first, { secret_ref: `http://keys/v1/secrets/${index}`, created: '9' }));
  expect((await keyManager.all()).size).toBe(120);
  const { refs, surplus } = await keyManager.keep(trusting('a'));
  expect([...refs.values()]).toEqual(['http://keys/v1/secrets/0']);
  expect(surplus).toHaveLength(119);
});

test('what is refused ends without a word of what was sent', async () => {
  await expect(barbican(413).keyManager.keep(trusting('private'))).rejects.toThrow(
    new TaskFailed('A certificate is too large for the key manager'),
  );
  await expect(barbican(403).keyManager.keep(trusting('private'))).rejects.toThrow(
    /^the key manager did not keep a certificate: the answer was 403$/,
  );
});

import { beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import { authenticator, type Page } from '../harness/authenticator.ts';
import { movableClock } from '../harness/clock.ts';
import { PASSWORD, people } from '../harness/people.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** A passkey signs in whom it belongs to, on the page that it was made for, and nobody else. */

const FACTORS = '/virga/v1/second_factors';
const PAGE: Page = { origin: 'http://localhost:8080', rpId: 'localhost' };
const HOST = { host: 'localhost:8080' };
/** What an authenticator says that asked for neither PIN nor finger. */
const ONLY_PRESENT = 0x01;

const clock = movableClock();
const server = shared(() => startTestServer({ worker: false, clock }));
const they = people(server);
let count = 0;
let email: string;
let userId: number;

beforeEach(async () => {
  email = `keys${count++}@virga.test`;
  userId = await they.join(email);
});

type Device = ReturnType<typeof authenticator>;

const as = (access: string) => ({ ...HOST, authorization: `Bearer ${access}` });
async function send(path: string, body: object | undefined, headers: Record<string, string>) {
  const reply = await server.api.inject({
    method: 'POST',
    url: path,
    ...(body === undefined ? {} : { payload: body }),
    headers,
  });
  return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() };
}

async function challengeFor(access: string): Promise<string> {
  const { status, body } = await send(`${FACTORS}/passkeys/options`, undefined, as(access));
  expect(status).toBe(200);
  expect(body.options.rp.id).toBe('localhost');
  return body.options.challenge;
}

async function add(access: string, device: Device, page = PAGE) {
  const credential = device.create(await challengeFor(access), page);
  return send(`${FACTORS}/passkeys`, { name: 'laptop', credential }, as(access));
}

/** A person with a passkey. */
async function enrolled() {
  const { access } = await they.signIn(email);
  const device = authenticator();
  const added = await add(access, device);
  expect(added.status).toBe(201);
  return { access, device, codes: added.body.recovery_codes as string[] };
}

async function requested(): Promise<string> {
  return (await send('/virga/v1/session/passkey/options', undefined, HOST)).body.options.challenge;
}
const enter = (passkey: object, headers: Record<string, string> = HOST) =>
  send('/virga/v1/session/passkey', { passkey }, headers);

const REFUSED = { status: 400, body: { invalid_fields: { passkey: [expect.any(String)] } } };

describe('a person with a passkey', () => {
  test('signs in with it alone, and not with the password alone', async () => {
    const { device } = await enrolled();
    expect((await enter(device.get(await requested(), PAGE))).status).toBe(200);
    const alone = await server.call('POST', '/iam/auth/jwt/login', {
      body: { username: email, password: PASSWORD },
    });
    expect(alone.body.errors.one_time_password[0]).toContain('passkey');
  });

  test('comes in with a recovery code, when the device is lost', async () => {
    const { codes } = await enrolled();
    expect(codes).toHaveLength(10);
    const body = { username: email, password: PASSWORD, one_time_password: codes[0] };
    expect((await server.call('POST', '/iam/auth/jwt/login', { body })).status).toBe(200);
  });

  test('does with it what needs a recent sign-in', async () => {
    const { access, device } = await enrolled();
    clock.advance(10 * 60_000);
    const refused = await send(`${FACTORS}/passkeys/options`, undefined, as(access));
    expect(refused.body.code).toBe('recent_sign_in_required');
    const passkey = device.get(await requested(), PAGE);
    expect((await send('/virga/v1/session/confirm', { passkey }, as(access))).status).toBe(204);
    expect(await challengeFor(access)).toBeTruthy();
  });

  test('is told by mail what has changed', async () => {
    await enrolled();
    const mails = await server.db.rows<{ body: string }>(
      sql`select body from mail_outbox where recipient = ${email} and kind = 'sign_in_changed'`,
    );
    expect(mails.map(({ body }) => body).join()).toContain('The passkey "laptop" was added');
  });
});

describe('a passkey is refused', () => {
  test('a second time with the same answer, and with an answer that is too old', async () => {
    const { device } = await enrolled();
    const answer = device.get(await requested(), PAGE);
    expect((await enter(answer)).status).toBe(200);
    expect(await enter(answer)).toMatchObject(REFUSED);
    const late = device.get(await requested(), PAGE);
    clock.advance(5 * 60_000 + 1000);
    expect(await enter(late)).toMatchObject(REFUSED);
  });

  test('from a page under another name, whatever the Host header says', async () => {
    const { device } = await enrolled();
    const evil = { origin: 'http://evil.example', rpId: 'evil.example' };
    expect(await enter(device.get(await requested(), evil))).toMatchObject(REFUSED);
    expect(await enter(device.get(await requested(), evil), { host: 'evil.example' })).toMatchObject(REFUSED);
    expect(await enter(device.get(await requested(), { ...PAGE, origin: evil.origin }))).toMatchObject(
      REFUSED,
    );
  });

  test('without PIN or finger, of another device, and with a challenge that was for something else', async () => {
    const { access, device } = await enrolled();
    expect(await enter(device.get(await requested(), PAGE, ONLY_PRESENT))).toMatchObject(REFUSED);
    expect(await enter(authenticator().get(await requested(), PAGE))).toMatchObject(REFUSED);
    const forged = { ...authenticator().get(await requested(), PAGE), id: device.get('', PAGE).id };
    expect(await enter(forged)).toMatchObject(REFUSED);
    expect(await enter(device.get(await challengeFor(access), PAGE))).toMatchObject(REFUSED);
    expect(await enter(device.get('made up', PAGE))).toMatchObject(REFUSED);
  });

  test('when somebody else gives it to confirm a session, and when its person was removed', async () => {
    const { device } = await enrolled();
    const other = `other${count++}@virga.test`;
    await they.join(other);
    const { access } = await they.signIn(other);
    const passkey = device.get(await requested(), PAGE);
    expect(await send('/virga/v1/session/confirm', { passkey }, as(access))).toMatchObject(REFUSED);
    await server.db.run(sql`update users set deleted_at = now() where id = ${userId}`);
    expect(await enter(device.get(await requested(), PAGE))).toMatchObject(REFUSED);
  });
});

test('a passkey is added once, by whom its challenge was made for', async () => {
  const { access } = await they.signIn(email);
  const other = `other${count++}@virga.test`;
  await they.join(other);
  const their = await they.signIn(other);
  const device = authenticator();
  const stolen = device.create(await challengeFor(their.access), PAGE);
  const given = { name: 'laptop', credential: stolen };
  const wrong = { status: 400, body: { invalid_fields: { credential: [expect.any(String)] } } };
  expect(await send(`${FACTORS}/passkeys`, given, as(access))).toMatchObject(wrong);
  expect((await add(access, device)).status).toBe(201);
  expect(await add(their.access, device)).toMatchObject(wrong);
  expect(await add(their.access, authenticator(), { ...PAGE, origin: 'http://evil.example' })).toMatchObject(
    wrong,
  );
});

test('an address without a name is refused with what to do', async () => {
  const refused = await send('/virga/v1/session/passkey/options', undefined, { host: '127.0.0.1:8080' });
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain('http://localhost');
});

import { describe, expect, test } from 'vitest';
import { videoToken } from '../../../signing/src/signature.ts';
import { REASONS } from '../origin.ts';
import { ACCOUNT, PLAYLIST, SEGMENT, STREAM, VIDEO } from './origin-files.ts';
import { type Answer, type Ask, ask } from './processes.ts';

/** What the built-in edge and the printed nginx configuration must both do. */

export const NEW_SECRET = 'n3w$ecret"with\\signs';
export const OLD_SECRET = 'MySecr3tStr1ng';
export const OLDEST_SECRET = 'oldest-$\x7bsecret};{}';
export const SECRETS = [NEW_SECRET, OLD_SECRET, OLDEST_SECRET];

const now = () => Math.floor(Date.now() / 1000);

interface Signed {
  readonly video?: string;
  readonly ip?: string;
  readonly expires?: number;
  readonly secret?: string;
  readonly accountId?: string;
  readonly folder?: string;
}

/** A signed address; by default a valid one of the video. */
export function signedPath(file: string, options: Signed = {}): string {
  const { video = VIDEO, ip = '', expires = now() + 300, secret = NEW_SECRET } = options;
  const { accountId = ACCOUNT, folder = 'videos' } = options;
  const token = videoToken({ accountId, video, secret, expires, ip });
  return `/${folder}/${accountId}_${video}/${token}/${expires}/${file}`;
}

/** The same with the token in the query. */
export function signedQuery(file: string, options: Signed = {}): string {
  return signedPath(file, options).replace(
    /^(\/\w+\/[^/]+)\/([^/]+)\/(\d+)\/(.*)$/,
    '$1/$4?md5=$2&expires=$3',
  );
}

interface Row {
  readonly name: string;
  readonly path: () => string;
  readonly ask?: Ask;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  readonly body?: string | Buffer;
}

const BOUND = { headers: { host: 'cdn-ip.test:8090' } };
const otherVideo = (path: string) => path.replace(`_${VIDEO}/`, '_another/');
const later = (path: string) => path.replace(/\/(\d{10})\//, (_, at: string) => `/${Number(at) + 1}/`);

const ALLOWED: readonly Row[] = [
  {
    name: 'an HLS playlist',
    path: () => signedPath('master.m3u8'),
    status: 200,
    body: PLAYLIST,
    headers: { 'content-type': 'application/vnd.apple.mpegurl', 'cache-control': 'no-cache' },
  },
  {
    name: 'a live playlist',
    path: () => signedPath('master.m3u8', { video: STREAM, folder: 'cmaf' }),
    status: 200,
    body: PLAYLIST,
  },
  {
    name: 'a DASH manifest',
    path: () => signedPath('index.mpd'),
    status: 200,
    headers: { 'content-type': 'application/dash+xml', 'cache-control': 'no-cache' },
  },
  {
    name: 'a segment',
    path: () => signedPath('seg1.ts'),
    status: 200,
    body: SEGMENT,
    headers: {
      'content-type': 'video/mp2t',
      'cache-control': 'private, max-age=86400, immutable',
      'accept-ranges': 'bytes',
    },
  },
  {
    name: 'a file in a folder of the video',
    path: () => signedPath('audio/init.mp4'),
    status: 200,
    body: 'ftyp',
    headers: { 'content-type': 'video/mp4' },
  },
  {
    name: 'a name with a space',
    path: () => signedPath('audio/chunk%201.m4s'),
    status: 200,
    body: 'moof',
    headers: { 'content-type': 'video/iso.segment' },
  },
  {
    name: 'a query beside the token',
    path: () => `${signedPath('master.m3u8')}?_HLS_msn=3`,
    status: 200,
    body: PLAYLIST,
  },
  {
    name: 'an MP4 whose token is in the query',
    path: () => signedQuery('audio/init.mp4'),
    status: 200,
    body: 'ftyp',
    headers: { 'content-type': 'video/mp4' },
  },
  {
    name: 'the same of an older secret, beside other words',
    path: () => `${signedQuery('audio/init.mp4', { secret: OLD_SECRET })}&name=film`,
    status: 200,
    body: 'ftyp',
  },
  {
    name: 'the same bound to the viewer',
    path: () => signedQuery('audio/init.mp4', { ip: '127.0.0.1' }),
    ask: BOUND,
    status: 200,
    body: 'ftyp',
  },
  {
    name: 'a live stream in MPEG-TS',
    path: () => signedPath('master.m3u8', { video: STREAM, folder: 'mpegts' }),
    status: 200,
    body: PLAYLIST,
  },
  {
    name: 'the same whose token is in the query',
    path: () => signedQuery('seg1.ts', { video: STREAM, folder: 'mpegts' }),
    status: 200,
    body: SEGMENT,
  },
  {
    name: 'pages of other origins',
    path: () => signedPath('master.m3u8'),
    ask: { headers: { origin: 'https://player.test' } },
    status: 200,
    headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': /Content-Range/ },
  },
  {
    name: 'HEAD',
    path: () => signedPath('seg1.ts'),
    ask: { method: 'HEAD' },
    status: 200,
    body: '',
    headers: { 'content-length': String(SEGMENT.length) },
  },
  {
    name: 'a token of the older secret',
    path: () => signedPath('master.m3u8', { secret: OLD_SECRET }),
    status: 200,
    body: PLAYLIST,
    headers: {
      'content-type': 'application/vnd.apple.mpegurl',
      'cache-control': 'no-cache',
      'access-control-allow-origin': '*',
    },
  },
  {
    name: 'a token of the oldest secret',
    path: () => signedPath('seg1.ts', { secret: OLDEST_SECRET }),
    status: 200,
    body: SEGMENT,
  },
  {
    name: "the viewer's own token on the IP-bound host",
    path: () => signedPath('master.m3u8', { ip: '127.0.0.1' }),
    ask: BOUND,
    status: 200,
    body: PLAYLIST,
  },
  {
    name: 'the same of an older secret',
    path: () => signedPath('master.m3u8', { ip: '127.0.0.1', secret: OLDEST_SECRET }),
    ask: BOUND,
    status: 200,
    body: PLAYLIST,
  },
];

const RANGES: readonly Row[] = [
  {
    name: 'the first bytes',
    path: () => signedPath('seg1.ts'),
    ask: { headers: { range: 'bytes=0-99' } },
    status: 206,
    body: SEGMENT.subarray(0, 100),
    headers: { 'content-range': `bytes 0-99/${SEGMENT.length}`, 'content-length': '100' },
  },
  {
    name: 'the rest',
    path: () => signedPath('seg1.ts'),
    ask: { headers: { range: 'bytes=199990-' } },
    status: 206,
    body: SEGMENT.subarray(199_990),
  },
  {
    name: 'the last bytes',
    path: () => signedPath('seg1.ts'),
    ask: { headers: { range: 'bytes=-10' } },
    status: 206,
    body: SEGMENT.subarray(-10),
  },
  {
    name: 'more than there is',
    path: () => signedPath('seg1.ts'),
    ask: { headers: { range: 'bytes=199999-300000' } },
    status: 206,
    body: SEGMENT.subarray(-1),
    headers: { 'content-range': `bytes 199999-199999/${SEGMENT.length}` },
  },
  {
    name: 'bytes that are not there',
    path: () => signedPath('seg1.ts'),
    ask: { headers: { range: 'bytes=200000-' } },
    status: 416,
    headers: { 'content-range': `bytes */${SEGMENT.length}` },
  },
  {
    name: 'a part of a playlist',
    path: () => signedPath('master.m3u8'),
    ask: { headers: { range: 'bytes=0-6' } },
    status: 206,
    body: '#EXTM3U',
  },
  {
    name: 'a part of another version',
    path: () => signedPath('seg1.ts'),
    ask: { headers: { range: 'bytes=0-9', 'if-range': '"another"' } },
    status: 200,
    body: SEGMENT,
  },
  {
    name: 'a part with a token of an older secret',
    path: () => signedPath('seg1.ts', { secret: OLD_SECRET }),
    ask: { headers: { range: 'bytes=5-9' } },
    status: 206,
    body: SEGMENT.subarray(5, 10),
  },
];

const REFUSED: readonly Row[] = [
  {
    name: 'a token of an unknown secret',
    path: () => signedPath('master.m3u8', { secret: 'another-secret' }),
    status: 403,
    headers: { 'cache-control': 'no-store', 'access-control-allow-origin': '*' },
  },
  { name: 'a token of another video', path: () => otherVideo(signedPath('master.m3u8')), status: 403 },
  { name: 'a token with a later expiry', path: () => later(signedPath('master.m3u8')), status: 403 },
  {
    name: 'a token of another account',
    path: () => signedPath('master.m3u8', { accountId: '2676' }),
    status: 403,
  },
  {
    name: 'a token that is too short',
    path: () => signedPath('master.m3u8').replace(/.(\/\d+\/master)/, '$1'),
    status: 403,
  },
  { name: 'a file without a token', path: () => `/videos/${ACCOUNT}_${VIDEO}/master.m3u8`, status: 403 },
  {
    name: 'a plain token on the IP-bound host',
    path: () => signedPath('master.m3u8'),
    ask: BOUND,
    status: 403,
  },
  {
    name: 'an IP-bound token on the plain host',
    path: () => signedPath('master.m3u8', { ip: '127.0.0.1' }),
    status: 403,
  },
  {
    name: "another viewer's token",
    path: () => signedPath('master.m3u8', { ip: '1.2.3.4' }),
    ask: BOUND,
    status: 403,
  },
  {
    name: 'a forwarded address of somebody untrusted',
    path: () => signedPath('master.m3u8', { ip: '1.2.3.4' }),
    ask: {
      headers: {
        ...BOUND.headers,
        'x-forwarded-for': '1.2.3.4',
        'x-real-ip': '1.2.3.4',
        'x-virga-viewer': '1.2.3.4',
      },
    },
    status: 403,
  },
  {
    name: 'an expired token',
    path: () => signedPath('master.m3u8', { expires: now() - 1 }),
    status: 410,
    headers: { 'cache-control': 'no-store', 'access-control-allow-origin': '*' },
  },
  {
    name: 'an expired token of an older secret',
    path: () => signedPath('master.m3u8', { expires: now() - 1, secret: OLD_SECRET }),
    status: 410,
  },
  {
    name: 'an expired token that is wrong as well',
    path: () => signedPath('master.m3u8', { expires: now() - 1, secret: 'another-secret' }),
    status: 403,
  },
  {
    name: 'an MP4 whose token in the query is of another video',
    path: () => otherVideo(signedQuery('audio/init.mp4')),
    status: 403,
  },
  {
    name: 'an MP4 whose token in the query is for another viewer',
    path: () => signedQuery('audio/init.mp4', { ip: '1.2.3.4' }),
    ask: BOUND,
    status: 403,
  },
  {
    name: 'an MP4 with an expiry in the query and no token',
    path: () => signedQuery('audio/init.mp4').replace(/md5=.*&/, ''),
    status: 403,
  },
  {
    name: 'an MP4 whose token in the query has expired',
    path: () => signedQuery('audio/init.mp4', { expires: now() - 1, secret: OLD_SECRET }),
    status: 410,
  },
  {
    name: 'a hidden file whose token is in the query',
    path: () => signedQuery('.hidden'),
    status: 403,
  },
  { name: 'an expiry of zero', path: () => signedPath('master.m3u8', { expires: 0 }), status: 403 },
  { name: 'a way out of the folder', path: () => signedPath('../../../outside.m3u8'), status: 403 },
  { name: 'a hidden way out', path: () => signedPath('..%2f..%2foutside.m3u8'), status: 403 },
  { name: 'a file whose name begins with a dot', path: () => signedPath('.hidden'), status: 403 },
  {
    name: 'a file that is not there',
    path: () => signedPath('missing.ts'),
    status: 404,
    headers: { 'cache-control': 'no-store' },
  },
  { name: 'a folder', path: () => signedPath('audio'), status: 404 },
  { name: 'everything else', path: () => '/outside.m3u8', status: 404 },
  { name: 'writing', path: () => signedPath('master.m3u8'), ask: { method: 'POST' }, status: 405 },
  { name: 'deleting', path: () => signedPath('master.m3u8'), ask: { method: 'DELETE' }, status: 405 },
];

/** Declares the tests. @param port known once the tests run */
export function deliveryTable(port: () => number): void {
  describe('delivers', () => each(ALLOWED, port));
  describe('delivers ranges:', () => each(RANGES, port));
  describe('refuses', () => each(REFUSED.map(withReason), port));

  test('answers a browser that asks whether it may', async () => {
    const requested = { origin: 'https://player.test', 'access-control-request-method': 'GET' };
    const { status, headers } = await ask(port(), signedPath('seg1.ts'), {
      method: 'OPTIONS',
      headers: requested,
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-methods']).toContain('GET');
    const allowed = String(headers['access-control-allow-headers']).split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['Range', 'CMCD-Object', 'CMCD-Request', 'CMCD-Session']));
  });

  test('delivers to a player that says in the query what it measures', async () => {
    const path = `${signedPath('seg1.ts')}?CMCD=bl%3D21300%2Csid%3D%226e2fb550%22`;
    expect((await ask(port(), path)).status).toBe(200);
  });

  test('sends nothing to a player that has this version already', async () => {
    const path = signedPath('seg1.ts');
    const first = await ask(port(), path);
    for (const name of ['etag', 'last-modified'] as const) {
      const condition = name === 'etag' ? 'if-none-match' : 'if-modified-since';
      const again = await ask(port(), path, { headers: { [condition]: String(first.headers[name]) } });
      expect(again.status).toBe(304);
      expect(again.body).toHaveLength(0);
    }
  });
}

/** Whoever may not see a video is told why. */
const withReason = (row: Row): Row =>
  row.status === 403
    ? {
        ...row,
        headers: { 'content-type': 'text/plain; charset=utf-8', ...row.headers },
        body: REASONS[403] ?? '',
      }
    : row;

function each(rows: readonly Row[], port: () => number): void {
  test.each(rows)('$name', async (row) => {
    const answer = await ask(port(), row.path(), row.ask);
    expect(answer.status).toBe(row.status);
    for (const [name, value] of Object.entries(row.headers ?? {})) expectHeader(answer, name, value);
    if (row.body !== undefined) expect(answer.body.equals(Buffer.from(row.body))).toBe(true);
  });
}

function expectHeader({ headers }: Answer, name: string, value: string | RegExp): void {
  if (value instanceof RegExp) expect(headers[name]).toMatch(value);
  else expect(headers[name]).toBe(value);
}

import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readLogo } from './logo.ts';

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2350c9' } });
const png = (width: number, height: number) => image(width, height).png().toBuffer();
const jpeg = (width: number, height: number) => image(width, height).jpeg().toBuffer();

const reasonOf = async (text: string) => {
  const result = await readLogo(text);
  return result.ok ? undefined : result.reason;
};

test('PNG and JPEG of the largest size are read, plain and as a data URI', async () => {
  const bytes = (await png(450, 130)).toString('base64');
  const photo = (await jpeg(450, 130)).toString('base64');
  for (const text of [
    bytes,
    `data:image/png;base64,${bytes}`,
    photo,
    `data:image/jpg;base64,${photo}`,
    ` DATA:image/JPEG;charset=x;base64,${photo}\n`,
    bytes.replace(/(.{76})/g, '$1\r\n'),
  ]) {
    expect(await readLogo(text)).toMatchObject({ ok: true, logo: { width: 450, height: 130 } });
  }
});

test('the type of the result is what the image is, not what it says', async () => {
  const result = await readLogo(`data:image/png;base64,${(await jpeg(10, 10)).toString('base64')}`);
  expect(result.ok && result.logo.dataUri.startsWith('data:image/jpeg;base64,')).toBe(true);
});

test('each fault has its exact reason', async () => {
  const small = await png(20, 20);
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  expect(await reasonOf('')).toBe('is not valid base64');
  expect(await reasonOf('not base64!')).toBe('is not valid base64');
  expect(await reasonOf(`${small.toString('base64')}=====`)).toBe('is not valid base64');
  expect(await reasonOf('data:image/png,rawbytes')).toBe('must be base64: the data URI lacks ";base64,"');
  expect(await reasonOf('data:image/png')).toBe('must be base64: the data URI lacks ";base64,"');
  expect(await reasonOf(gif.toString('base64'))).toBe('must be a JPEG or PNG image; the data is neither');
  expect(await reasonOf('data:image/svg+xml;base64,PHN2Zy8+')).toBe(
    'must be a JPEG or PNG image, not image/svg+xml',
  );
  expect(await reasonOf((await png(451, 130)).toString('base64'))).toBe(
    'is 451 × 130 pixels; at most 450 × 130 are allowed',
  );
  expect(await reasonOf((await jpeg(450, 131)).toString('base64'))).toBe(
    'is 450 × 131 pixels; at most 450 × 130 are allowed',
  );
  expect(await reasonOf(Buffer.concat([small, Buffer.alloc(600_000)]).toString('base64'))).toBe(
    'must not be larger than 512 KiB',
  );
});

test('an image that breaks off, or is damaged inside, is broken', async () => {
  const noise = Buffer.from(Array.from({ length: 200 * 100 * 3 }, (_, i) => (i * 7919) % 251));
  const raw = sharp(noise, { raw: { width: 200, height: 100, channels: 3 } });
  const broken = 'is a broken image: it cannot be decoded';
  for (const whole of [await raw.clone().png().toBuffer(), await raw.clone().jpeg().toBuffer()]) {
    expect(await reasonOf(whole.toString('base64'))).toBeUndefined();
    expect(await reasonOf(whole.subarray(0, whole.length >> 1).toString('base64'))).toBe(broken);
    expect(await reasonOf(whole.subarray(0, 12).toString('base64'))).toBe(broken);
  }
});

/** A valid PNG header that claims any size, with hardly any data behind it. */
function bomb(width: number, height: number): Buffer {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
  return Buffer.concat([header, Buffer.from('0000000049444154', 'hex')]);
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

test('an image bomb is refused by its header, without memory for its pixels', async () => {
  const flat = await sharp({
    create: { width: 12_000, height: 12_000, channels: 3, background: '#000' },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  const before = process.memoryUsage().rss;
  expect(await reasonOf(flat.toString('base64'))).toBe(
    'is 12000 × 12000 pixels; at most 450 × 130 are allowed',
  );
  expect(await reasonOf(bomb(1_000_000, 1_000_000).toString('base64'))).toMatch(/pixels|broken/);
  expect(await reasonOf(bomb(2_147_483_647, 2_147_483_647).toString('base64'))).toMatch(/pixels|broken/);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});

test('whatever is sent, the answer is a logo with a harmless address or a reason', async () => {
  const start = await png(20, 20);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
        fc
          .tuple(fc.nat(start.length - 1), fc.nat(255))
          .map(([at, value]) => Buffer.from(start.map((b, i) => (i === at ? value : b))).toString('base64')),
        fc.string().map((text) => `data:image/png;base64,${text}`),
      ),
      async (text) => {
        const result = await readLogo(text);
        if (result.ok) expect(result.logo.dataUri).toMatch(/^data:image\/(png|jpeg);base64,[A-Za-z0-9+/=]+$/);
        else expect(result.reason.length).toBeGreaterThan(10);
      },
    ),
    { numRuns: 300 },
  );
});

export const LOGO_MAX_WIDTH = 450;
export const LOGO_MAX_HEIGHT = 130;
/** More than an uncompressed image of the largest size with 16 bits per channel (468,000 bytes). */
const MAX_BYTES = 512 * 1024;
const DECODE_SECONDS = 5;

export interface Logo {
  /** `data:image/png;base64,…` or `data:image/jpeg;base64,…`, with nothing in it that HTML could mistake. */
  readonly dataUri: string;
  readonly width: number;
  readonly height: number;
}

/** A logo, or the exact reason why it is none. */
export type LogoResult =
  | { readonly ok: true; readonly logo: Logo }
  | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): LogoResult => ({ ok: false, reason });

/**
 * Reads a logo: base64, plain or as a `data:` URI, of a JPEG or PNG of at most 450 × 130 pixels. The size is
 * read from the image's header before a single pixel is decoded; then every pixel is, so that an image that
 * breaks off in the middle is found.
 */
export async function readLogo(text: string): Promise<LogoResult> {
  const { declared, base64 } = split(text.trim());
  if (base64 === undefined) return refuse('must be base64: the data URI lacks ";base64,"');
  if (declared !== undefined && !/^image\/(png|jpe?g)$/i.test(declared)) {
    return refuse(`must be a JPEG or PNG image, not ${declared === '' ? 'data without a type' : declared}`);
  }
  if (!isBase64(base64)) return refuse('is not valid base64');
  const bytes = Buffer.from(base64, 'base64');
  const type = typeOf(bytes);
  if (!type) return refuse('must be a JPEG or PNG image; the data is neither');
  if (bytes.length > MAX_BYTES) return refuse(`must not be larger than ${MAX_BYTES / 1024} KiB`);
  const size = await decode(bytes);
  if ('reason' in size) return refuse(size.reason);
  return { ok: true, logo: { dataUri: `data:${type};base64,${bytes.toString('base64')}`, ...size } };
}

/** Parses a data URI; plain base64 declares no type. */
function split(text: string): { declared: string | undefined; base64: string | undefined } {
  if (!/^data:/i.test(text)) return { declared: undefined, base64: text };
  const comma = text.indexOf(',');
  const head = text.slice('data:'.length, comma === -1 ? 'data:'.length : comma).split(';');
  const isEncoded = comma !== -1 && head.at(-1)?.trim().toLowerCase() === 'base64';
  return {
    declared: (head[0] ?? '').slice(0, 60),
    base64: isEncoded ? text.slice(comma + 1) : undefined,
  };
}

/** Standard alphabet, padded or not, line breaks allowed between the characters. */
function isBase64(text: string): boolean {
  const packed = text.replace(/[\r\n]/g, '');
  if (packed === '' || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return false;
  const padded = packed.endsWith('=');
  return padded ? packed.length % 4 === 0 : packed.length % 4 !== 1;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/** By the first bytes, so that no decoder for anything else ever sees the data. */
function typeOf(bytes: Buffer): 'image/png' | 'image/jpeg' | undefined {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  if (bytes.subarray(0, JPEG.length).equals(JPEG)) return 'image/jpeg';
  return undefined;
}

type Size = { readonly width: number; readonly height: number };

async function decode(bytes: Buffer): Promise<Size | { readonly reason: string }> {
  try {
    // Loaded when it is needed: it holds 10 MiB.
    const { default: sharp } = await import('sharp');
    // Reads the header alone; nothing is allocated for the pixels.
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    if (width > LOGO_MAX_WIDTH || height > LOGO_MAX_HEIGHT) {
      return {
        reason: `is ${width} × ${height} pixels; at most ${LOGO_MAX_WIDTH} × ${LOGO_MAX_HEIGHT} are allowed`,
      };
    }
    await sharp(bytes, { limitInputPixels: LOGO_MAX_WIDTH * LOGO_MAX_HEIGHT, failOn: 'error' })
      .timeout({ seconds: DECODE_SECONDS })
      .stats();
    return { width, height };
  } catch {
    return { reason: 'is a broken image: it cannot be decoded' };
  }
}

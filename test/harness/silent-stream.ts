import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A real HLS stream, made from a few bytes: silence in AAC-LC, 44.1 kHz, stereo. */

/** One frame of silence: 1024 samples. */
const SILENCE = Buffer.from([0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80]);
const FRAMES_PER_SEGMENT = 43;
const SAMPLES_PER_FRAME = 1024;
const SAMPLE_RATE = 44_100;
/** Ticks per second in which HLS counts presentation times. */
const CLOCK_RATE = 90_000;

const MASTER = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=8000,CODECS="mp4a.40.2"\nmedia.m3u8\n';

export const SEGMENT_SECONDS = (FRAMES_PER_SEGMENT * SAMPLES_PER_FRAME) / SAMPLE_RATE;

/** Writes `master.m3u8`, one media playlist and its segments of about one second each. */
export function writeSilentStream(folder: string, segments: number): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: string | Buffer) => writeFileSync(path.join(folder, name), content);
  write('master.m3u8', MASTER);
  const names = Array.from({ length: segments }, (_, i) => `segment${i}.aac`);
  write('media.m3u8', mediaPlaylist(3, names));
  for (const [i, name] of names.entries()) write(name, segment(i));
}

/** The same with all segments in one file, of which players ask for ranges.
 *  @returns files by name */
export function silentStreamInOneFile(segments: number): Readonly<Record<string, string | Buffer>> {
  const parts = Array.from({ length: segments }, (_, i) => segment(i));
  let offset = 0;
  const entries = parts.map(({ length }) => {
    const entry = `#EXT-X-BYTERANGE:${length}@${offset}\nall.aac`;
    offset += length;
    return entry;
  });
  return {
    'master.m3u8': MASTER,
    'media.m3u8': mediaPlaylist(4, entries),
    'all.aac': Buffer.concat(parts),
  };
}

function mediaPlaylist(version: number, entries: readonly string[]): string {
  const lines = entries.map((entry) => `#EXTINF:${SEGMENT_SECONDS.toFixed(5)},\n${entry}\n`);
  const head = `#EXTM3U\n#EXT-X-VERSION:${version}\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:VOD\n`;
  return `${head}${lines.join('')}#EXT-X-ENDLIST\n`;
}

function segment(index: number): Buffer {
  const frame = Buffer.concat([adtsHeader(SILENCE.length), SILENCE]);
  const audio = Array.from({ length: FRAMES_PER_SEGMENT }, () => frame);
  return Buffer.concat([timestamp(index * SEGMENT_SECONDS), ...audio]);
}

/** ISO 14496-3, 1.A.2: MPEG-4, LC, 44.1 kHz, two channels, no checksum. */
function adtsHeader(payload: number): Buffer {
  const length = payload + 7;
  const [high, middle, low] = [length >> 11, (length >> 3) & 0xff, (length & 7) << 5];
  return Buffer.from([0xff, 0xf1, 0x50, 0x80 | high, middle, low | 0x1f, 0xfc]);
}

/** The ID3 tag that says when packed audio begins (RFC 8216, section 3.4). */
function timestamp(seconds: number): Buffer {
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(BigInt(Math.round(seconds * CLOCK_RATE)));
  const content = Buffer.concat([Buffer.from('com.apple.streaming.transportStreamTimestamp\0'), value]);
  const frame = Buffer.concat([Buffer.from('PRIV'), Buffer.from([0, 0, 0, content.length, 0, 0]), content]);
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([4, 0, 0, 0, 0, 0, frame.length]), frame]);
}

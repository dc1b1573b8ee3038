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

export const SEGMENT_SECONDS = (FRAMES_PER_SEGMENT * SAMPLES_PER_FRAME) / SAMPLE_RATE;

/** Writes `master.m3u8`, one media playlist and its segments of about one second each. */
export function writeSilentStream(folder: string, segments: number): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: string | Buffer) => writeFileSync(path.join(folder, name), content);
  write('master.m3u8', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=8000,CODECS="mp4a.40.2"\nmedia.m3u8\n');
  const names = Array.from({ length: segments }, (_, i) => `segment${i}.aac`);
  const entries = names.map((name) => `#EXTINF:${SEGMENT_SECONDS.toFixed(5)},\n${name}\n`);
  const head = '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:VOD\n';
  write('media.m3u8', `${head}${entries.join('')}#EXT-X-ENDLIST\n`);
  const frame = Buffer.concat([adtsHeader(SILENCE.length), SILENCE]);
  const audio = Buffer.concat(Array.from({ length: FRAMES_PER_SEGMENT }, () => frame));
  for (const [i, name] of names.entries())
    write(name, Buffer.concat([timestamp(i * SEGMENT_SECONDS), audio]));
}

/** ISO 14496-3, 1.A.2: MPEG-4, LC, 44.1 kHz, two channels, no checksum. */
function adtsHeader(payload: number): Buffer {
  const length = payload + 7;
  const [high, middle, low] = [length >> 11, (length >> 3) & 0xff, (length & 7) << 5];
  return Buffer.from([0xff, 0xf1, 0x50, 0x80 | high, middle, low | 0x1f, 0xfc]);
}

/** The ID3 tag that tells when packed audio begins (RFC 8216, section 3.4). */
function timestamp(seconds: number): Buffer {
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(BigInt(Math.round(seconds * CLOCK_RATE)));
  const content = Buffer.concat([Buffer.from('com.apple.streaming.transportStreamTimestamp\0'), value]);
  const frame = Buffer.concat([Buffer.from('PRIV'), Buffer.from([0, 0, 0, content.length, 0, 0]), content]);
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([4, 0, 0, 0, 0, 0, frame.length]), frame]);
}

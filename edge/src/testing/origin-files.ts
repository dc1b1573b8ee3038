import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const ACCOUNT = '2675';
export const VIDEO = 'iKbrdNMcS9ylGuw';
export const STREAM = '201693';
export const PLAYLIST = '#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:1,\nseg1.ts\n';
/** Larger than what is kept in memory; every byte shows its place. */
export const SEGMENT = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));

export interface OriginFolder {
  readonly folder: string;
  remove(): void;
}

/** A folder with one video and one live stream, which nginx's own user may read too. */
export function makeOrigin(): OriginFolder {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-origin-'));
  chmodSync(folder, 0o755);
  const write = (file: string, content: string | Buffer) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  };
  const streams = [`cmaf/${ACCOUNT}_${STREAM}`, `mpegts/${ACCOUNT}_${STREAM}`];
  for (const base of [`videos/${ACCOUNT}_${VIDEO}`, ...streams]) {
    write(`${base}/master.m3u8`, PLAYLIST);
    write(`${base}/index.mpd`, '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>\n');
    write(`${base}/seg1.ts`, SEGMENT);
    write(`${base}/audio/init.mp4`, 'ftyp');
    write(`${base}/audio/chunk 1.m4s`, 'moof');
    write(`${base}/.hidden`, 'not for viewers');
  }
  write('outside.m3u8', 'not for viewers');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

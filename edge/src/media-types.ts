import path from 'node:path';

/** Types of what HLS and DASH streams consist of, by file extension. */
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
  ts: 'video/mp2t',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  cmfv: 'video/mp4',
  m4a: 'audio/mp4',
  cmfa: 'audio/mp4',
  cmft: 'application/mp4',
  aac: 'audio/aac',
  mp3: 'audio/mpeg',
  webm: 'video/webm',
  vtt: 'text/vtt',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  json: 'application/json',
};
export const OTHER_TYPE = 'application/octet-stream';

const PLAYLISTS = ['m3u8', 'mpd'];

/** A playlist changes, and every look at it must show its token again. Segments never change; `private`, because
 *  a shared cache would go on serving them after the token has expired. */
export const CACHE_CONTROL = {
  playlist: 'no-cache',
  segment: 'private, max-age=86400, immutable',
  error: 'no-store',
} as const;

export const PLAYLIST_PATTERN = `\\.(?:${PLAYLISTS.join('|')})`;

export function mediaType(file: string): string | undefined {
  return MEDIA_TYPES[extension(file)];
}

export function cacheControl(file: string): string {
  return PLAYLISTS.includes(extension(file)) ? CACHE_CONTROL.playlist : CACHE_CONTROL.segment;
}

const extension = (file: string) => path.posix.extname(file).slice(1).toLowerCase();

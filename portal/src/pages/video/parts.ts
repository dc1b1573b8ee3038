/** What a part of a signed address is for. */
export interface Part {
  readonly kind: 'host' | 'folder' | 'video' | 'token' | 'expires' | 'file';
  readonly text: string;
  readonly meaning: string;
}

/** Parses a signed address: `http://host/videos/1_film/TOKEN/EXPIRES/master.m3u8`. */
export function partsOf(address: string): readonly Part[] {
  const url = new URL(address);
  const [, folder = '', video = '', token = '', expires = '', ...file] = url.pathname.split('/');
  const [account = '', ...slug] = video.split('_');
  return [
    { kind: 'host', text: `${url.origin}/`, meaning: 'The edge that delivers it' },
    {
      kind: 'folder',
      text: `${folder}/`,
      meaning: folder === 'cmaf' ? 'A live stream' : 'A video that is kept',
    },
    { kind: 'video', text: `${video}/`, meaning: `Account ${account}, video ${slug.join('_')}` },
    {
      kind: 'token',
      text: `${token}/`,
      meaning:
        'The signature: of the account, the video, the time and the viewer’s address, with a secret that never leaves',
    },
    {
      kind: 'expires',
      text: `${expires}/`,
      meaning: `Until ${new Date(Number(expires) * 1000).toLocaleString()}`,
    },
    { kind: 'file', text: file.join('/'), meaning: 'The playlist that a player begins with' },
  ];
}

/** What the edge's answers mean. */
export const ANSWERS: Readonly<Record<number, string>> = {
  200: 'The token is right, and the file is there.',
  403: 'The token is not ours, or of another video, account, expiry or viewer.',
  404: 'The token is right; the file is not there.',
  410: 'The token was right, and has expired.',
};

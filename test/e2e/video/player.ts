import { readFileSync } from 'node:fs';
import type http from 'node:http';
import path from 'node:path';
import { buildSync } from 'esbuild';
import type { Page } from 'playwright-core';

/** A page with hls.js and the refresh module, in a real browser. */

/** A flag of browsers: videos start without a click. */
export const AUTOPLAY = '--autoplay-policy=no-user-gesture-required';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const SCRIPTS: Readonly<Record<string, () => string>> = {
  '/hls.js': () => readFileSync(path.join(ROOT, 'node_modules/hls.js/dist/hls.min.js'), 'utf8'),
  '/refresh.js': () => {
    const entryPoints = [path.join(ROOT, 'client/src/refresh.ts')];
    const [file] = buildSync({ entryPoints, bundle: true, format: 'esm', write: false }).outputFiles;
    return file?.text ?? '';
  },
};

/** A page of another origin than the API and the edge. `window.play` plays the address that a token service gives. */
export function servePage(request: http.IncomingMessage, response: http.ServerResponse): void {
  const script = SCRIPTS[request.url ?? ''];
  response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
  response.end(script ? script() : PAGE);
}

const PAGE = `<!doctype html><title>player</title><video muted></video>
<script src="/hls.js"></script>
<script type="module">
import { TokenRefresher } from '/refresh.js';
const video = document.querySelector('video');
window.seen = { stalls: 0, errors: [], refreshes: 0 };
window.play = async (tokenUrl, refreshing) => {
  const refresher = new TokenRefresher({ tokenUrl, onRefresh: () => { seen.refreshes += 1; } });
  const url = await refresher.start();
  if (!refreshing) refresher.stop();
  // A small buffer, so that there are requests all the time.
  const setup = refreshing ? { xhrSetup: refresher.xhrSetup } : {};
  const hls = new Hls({ maxBufferLength: 4, maxMaxBufferLength: 4, ...setup });
  hls.on(Hls.Events.ERROR, (_, data) => seen.errors.push(data.details));
  video.addEventListener('playing', () => {
    video.addEventListener('waiting', () => { seen.stalls += 1; });
  }, { once: true });
  hls.loadSource(url);
  hls.attachMedia(video);
  await video.play();
};
</script>`;

export interface Seen {
  readonly time: number;
  readonly stalls: number;
  readonly errors: readonly string[];
  readonly refreshes: number;
}

export const seen = (page: Page): Promise<Seen> =>
  page.evaluate('({ ...window.seen, time: document.querySelector("video").currentTime })');

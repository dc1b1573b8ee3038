import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FolderOrigin } from '../../edge/src/folder-origin.ts';
import { createEdge } from '../../edge/src/server.ts';
import { ACCOUNT, makeOrigin, type OriginFolder, STREAM } from '../../edge/src/testing/origin-files.ts';
import { ask, listen, type Running } from '../../edge/src/testing/processes.ts';
import { UsageCounter } from '../../edge/src/usage.ts';
import { sign } from '../../server/src/features/video-tokens/model.ts';
import { IpRanges } from '../../signing/src/addresses.ts';
import { type Timers, TokenRefresher, type TokenRefresherOptions, type VideoTokenRecord } from './refresh.ts';

/** Time that passes when it is told to. */
class FakeTimers implements Timers {
  time = 1_743_167_062_000;
  #next = 1;
  #waiting = new Map<number, { at: number; work: () => void }>();
  now = () => this.time;
  after = (milliseconds: number, work: () => void) => {
    this.#waiting.set(this.#next, { at: this.time + milliseconds, work });
    return this.#next++;
  };
  cancel = (timer: unknown) => void this.#waiting.delete(timer as number);

  get count(): number {
    return this.#waiting.size;
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (;;) {
      const due = [...this.#waiting].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.#waiting.delete(due[0]);
      this.time = due[1].at;
      due[1].work();
      // What the work began has nothing but settled promises to wait for.
      await new Promise(setImmediate);
    }
    this.time = end;
  }
}

const SETTINGS = { accountId: ACCOUNT, secrets: ['MySecr3tStr1ng'], cdnUrl: '', cdnIpUrl: 'http://ip.test' };

interface Setup {
  readonly timers: FakeTimers;
  readonly refresher: TokenRefresher;
  /** Times of the fetches, in milliseconds since the start. */
  readonly fetches: number[];
  readonly service: { broken: boolean };
}

function setUp(cdnUrl: string, lifetime: number, more: Partial<TokenRefresherOptions> = {}): Setup {
  const timers = new FakeTimers();
  const begin = timers.time;
  const fetches: number[] = [];
  const service = { broken: false };
  const fetchRecord = async (): Promise<VideoTokenRecord> => {
    fetches.push(timers.time - begin);
    if (service.broken) throw new Error('no service');
    const expires = Math.floor(timers.time / 1000) + lifetime;
    const signing = { video: STREAM, type: 'live', expires, clientIp: '127.0.0.1' } as const;
    return sign(signing, { ...SETTINGS, cdnUrl });
  };
  const tokenUrl = `http://api.test/video/token?video=${STREAM}&expire=${lifetime}`;
  const refresher = new TokenRefresher({ tokenUrl, fetchRecord, timers, ...more });
  return { timers, refresher, fetches, service };
}

describe('the refresh', () => {
  test('comes a quarter of the lifetime before expiry, again and again', async () => {
    const { timers, refresher, fetches } = setUp('http://cdn.test', 60);
    await refresher.start();
    await timers.pass(140_000);
    expect(fetches).toEqual([0, 45_000, 90_000, 135_000]);
    refresher.stop();
    await timers.pass(600_000);
    expect(fetches).toHaveLength(4);
    expect(timers.count).toBe(0);
  });

  test('comes as early as asked, unless that is more than the lifetime', async () => {
    const early = setUp('http://cdn.test', 60, { leadSeconds: 50 });
    await early.refresher.start();
    await early.timers.pass(25_000);
    expect(early.fetches).toEqual([0, 10_000, 20_000]);
    const absurd = setUp('http://cdn.test', 60, { leadSeconds: 60 });
    await absurd.refresher.start();
    await absurd.timers.pass(50_000);
    expect(absurd.fetches).toEqual([0, 45_000]);
  });

  test('is tried again when it fails, no faster than once a second, and then goes on as before', async () => {
    const errors: unknown[] = [];
    const { timers, refresher, fetches, service } = setUp('http://cdn.test', 60, {
      onError: (error) => errors.push(error),
    });
    const first = await refresher.start();
    service.broken = true;
    await timers.pass(70_000);
    expect(fetches.slice(1, 6)).toEqual([45_000, 46_000, 48_000, 52_000, 60_000]);
    expect(errors).toHaveLength(fetches.length - 1);
    expect(refresher.url).toBe(first);
    service.broken = false;
    await timers.pass(10_000);
    expect(refresher.url).not.toBe(first);
    const recovered = fetches.at(-1) ?? 0;
    await timers.pass(45_000);
    expect(fetches.at(-1)).toBe(recovered + 45_000);
  });

  test('of very short tokens is no faster than once a second', async () => {
    const { timers, refresher, fetches } = setUp('http://cdn.test', 1);
    await refresher.start();
    await timers.pass(5_500);
    expect(fetches).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
  });

  test('does not depend on a right clock', async () => {
    const { timers, refresher, fetches } = setUp('http://cdn.test', 60);
    timers.time += 86_400_000;
    await refresher.start();
    await timers.pass(46_000);
    expect(fetches).toHaveLength(2);
  });

  test('keeps to the lifetime that the service gives, when that is less than was asked for', async () => {
    for (const tokenUrl of [
      'http://api.test/?video=a&expire=3600',
      'http://api.test/?video=a&expire=300.5',
    ]) {
      const { timers, refresher, fetches } = setUp('http://cdn.test', 60, { tokenUrl });
      await refresher.start();
      await timers.pass(46_000);
      expect(fetches).toEqual([0, 45_000]);
    }
  });

  test('is made up for when the machine slept, once for all who wait', async () => {
    const { timers, refresher, fetches } = setUp('http://cdn.test', 60);
    const url = await refresher.start();
    // Timers stand still while a machine sleeps; the clock does not.
    timers.time += 3_600_000;
    const addresses = await Promise.all([refresher.fresh(url), refresher.fresh(url)]);
    expect(fetches).toHaveLength(2);
    expect(addresses).toEqual([refresher.url, refresher.url]);
    expect(refresher.url).not.toBe(url);
  });

  test('that has just failed is not forced by requests', async () => {
    const { timers, refresher, fetches, service } = setUp('http://cdn.test', 60);
    const url = await refresher.start();
    service.broken = true;
    timers.time += 3_600_000;
    for (let i = 0; i < 5; i++) expect(await refresher.fresh(url)).toBe(url);
    expect(fetches).toHaveLength(2);
  });

  test('needs a first record, and can be started again without one', async () => {
    const { refresher, service } = setUp('http://cdn.test', 60);
    service.broken = true;
    await expect(refresher.start()).rejects.toThrow('no service');
    expect(() => refresher.url).toThrow('start()');
    service.broken = false;
    expect(await refresher.start()).toContain(`/cmaf/${ACCOUNT}_${STREAM}/`);
  });

  test('refuses an answer that is no record', async () => {
    const { refresher } = setUp('http://cdn.test', 60, { fetchRecord: async () => JSON.parse('{}') });
    await expect(refresher.start()).rejects.toThrow('something else');
  });
});

describe('addresses', () => {
  test('of the video get the latest pair, whatever pair they had; others stay as they are', async () => {
    const { timers, refresher } = setUp('https://CDN.test:443/a', 60);
    const first = await refresher.start();
    await timers.pass(46_000);
    const second = refresher.url;
    await timers.pass(46_000);
    const latest = new URL(refresher.url).href;
    for (const old of [first, second]) {
      expect(refresher.rewrite(old)).toBe(latest);
      const segment = `${old.replace('master.m3u8', 'low/seg1.ts')}?part=2`;
      expect(refresher.rewrite(segment)).toBe(`${latest.replace('master.m3u8', 'low/seg1.ts')}?part=2`);
    }
    const others = [
      'https://cdn.test/a/cmaf/2675_other/AAAAAAAAAAAAAAAAAAAAAA/1/master.m3u8',
      first.replace('https', 'http'),
      `https://cdn.test/a/cmaf/${ACCOUNT}_${STREAM}/logo.png`,
      'https://elsewhere.test/ad.ts',
      'seg1.ts',
    ];
    for (const other of others) expect(refresher.rewrite(other)).toBe(other);
  });

  test('are those bound to the viewer when asked for', async () => {
    const { refresher } = setUp('http://cdn.test', 60, { ipBound: true });
    expect(await refresher.start()).toMatch(/^http:\/\/ip\.test\//);
  });
});

describe('against the edge', () => {
  let files: OriginFolder;
  let edge: Running;
  let timers: FakeTimers | undefined;
  beforeAll(async () => {
    files = makeOrigin();
    const server = createEdge({
      ...SETTINGS,
      ipBoundHost: 'ip.test',
      trustedProxies: new IpRanges([]),
      origin: new FolderOrigin(files.folder),
      usage: new UsageCounter(),
      now: () => (timers?.time ?? 0) / 1000,
      log: () => {},
    });
    edge = await listen(server);
  });
  afterAll(async () => {
    await edge.stop();
    files.remove();
  });

  test('an address from the beginning works for ever when it is rewritten, and expires when it is not', async () => {
    const setup = setUp(`http://127.0.0.1:${edge.port}`, 8);
    timers = setup.timers;
    const original = await setup.refresher.start();
    const status = async (address: string) => (await ask(edge.port, new URL(address).pathname)).status;
    for (let second = 0; second < 40; second++) {
      expect(await status(setup.refresher.rewrite(original))).toBe(200);
      expect(await status(original)).toBe(second <= 8 ? 200 : 410);
      await setup.timers.pass(1_000);
    }
    setup.refresher.stop();
  });
});

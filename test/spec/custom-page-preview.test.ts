import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_TYPES } from '../../server/src/features/response-pages/model.ts';
import { launchBrowser } from '../harness/browser.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** The section "Custom page preview" of the specification, and its problem body. */

const server = shared(() => startTestServer({ worker: false }));

const preview = (type: string, body: unknown) =>
  server.call('POST', `/waap/v1/preview-custom-page?page_type=${type}`, { body });

test.each(PAGE_TYPES)('%s answers a page without any field, and with all', async (type) => {
  const image = await sharp({ create: { width: 450, height: 130, channels: 3, background: '#123' } })
    .jpeg()
    .toBuffer();
  const plain = await preview(type, {});
  expect(plain.status).toBe(200);
  expect(plain.body.html).toMatch(/^<!doctype html>/);
  const full = await preview(type, {
    logo: `data:image/jpeg;base64,${image.toString('base64')}`,
    header: 'h'.repeat(62),
    title: 't'.repeat(50),
    text: 'x'.repeat(400),
    error: 'e'.repeat(400),
  });
  expect(full.status).toBe(200);
  expect(full.body.html).toContain('h'.repeat(62));
  const nothing = await preview(type, { logo: null, header: null, title: null, text: null, error: null });
  expect(nothing.body.html).toBe(plain.body.html);
});

test('the bounds of every text hold exactly, counted in characters', async () => {
  const bounds = { header: [3, 62], title: [3, 50], text: [20, 400], error: [10, 400] } as const;
  for (const [field, [min, max]] of Object.entries(bounds)) {
    for (const character of ['a', '😀']) {
      for (const length of [min, max]) {
        expect((await preview('captcha.html', { [field]: character.repeat(length) })).status).toBe(200);
      }
      for (const length of [0, min - 1, max + 1]) {
        const reply = await preview('captcha.html', { [field]: character.repeat(length) });
        expect(reply.status).toBe(422);
        expect(reply.body.errors).toEqual([{ loc: ['body', field], detail: expect.any(String) }]);
      }
    }
  }
});

test('all faults come at once, as a problem with a place for each', async () => {
  const reply = await preview('block.html', {
    logo: 'AAAA',
    header: 'a',
    title: 7,
    text: 'short',
    error: [],
  });
  expect(reply.status).toBe(422);
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(reply.body).toMatchObject({
    type: 'request-validation-failed',
    title: expect.any(String),
    status: 422,
    detail: expect.any(String),
  });
  const places = reply.body.errors.map(({ loc }: { loc: string[] }) => loc.join('.')).sort();
  expect(places).toEqual(['body.error', 'body.header', 'body.logo', 'body.text', 'body.title']);
});

test('a page type that is missing or unknown is a fault of the query', async () => {
  for (const query of [
    '',
    '?page_type=',
    '?page_type=index.html',
    '?page_type=block.html&page_type=captcha.html',
  ]) {
    const reply = await server.call('POST', `/waap/v1/preview-custom-page${query}`, { body: {} });
    expect(reply.status, query).toBe(422);
    expect(reply.body.errors[0].loc, query).toEqual(['query', 'page_type']);
  }
});

test('malformed JSON is a bad request', async () => {
  const reply = await preview('block.html', '{"header": ');
  expect(reply.status).toBe(400);
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(reply.body).toMatchObject({ type: 'http-bad-request', status: 400, detail: expect.any(String) });
});

test('a body that is no object is a fault of the body', async () => {
  for (const body of ['[]', '"text"', 'null', '']) {
    const reply = await preview('block.html', body);
    expect(reply.status, body).toBe(422);
    expect(reply.body.errors[0].loc, body).toEqual(['body']);
  }
});

test('a token is needed, and answers without one are a detail alone', async () => {
  const reply = await server.call('POST', '/waap/v1/preview-custom-page?page_type=block.html', {
    body: {},
    token: 'x',
  });
  expect(reply.status).toBe(401);
  expect(Object.keys(reply.body)).toEqual(['detail']);
});

describe('in a real browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });

  afterAll(() => browser.close());

  test('the longest words fit every width from 280 pixels, with the largest logo', async () => {
    const logo = await sharp({ create: { width: 450, height: 130, channels: 3, background: '#123' } })
      .png()
      .toBuffer();
    const body = {
      logo: logo.toString('base64'),
      header: 'W'.repeat(62),
      title: 'W'.repeat(50),
      text: 'W'.repeat(400),
      error: 'W'.repeat(400),
    };
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme });
      for (const type of PAGE_TYPES) {
        await page.setContent((await preview(type, body)).body.html);
        for (const width of [280, 390, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const seen = await page.evaluate('document.documentElement.scrollWidth');
          expect(seen, `${type} at ${width}`).toBeLessThanOrEqual(width);
        }
      }
      await page.close();
    }
  });

  test('a real browser shows hostile texts as text: no script runs, nothing is fetched, no element is added', async () => {
    const hostile = {
      header: '</h1><script>document.title="owned"</script>',
      title: '</title><img src=x onerror=alert(1)>',
      text: '<style>*{display:none}</style>"\'&lt;<!-- <a href="https://virga.test/">x</a>',
      error: '</span></p><iframe src="https://virga.test/"></iframe>',
    };
    for (const type of PAGE_TYPES) {
      const page = await browser.newPage();
      const requests: string[] = [];
      const dialogs: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        dialog.dismiss().catch(() => undefined);
      });
      const elements = async (body: unknown) => {
        await page.setContent((await preview(type, body)).body.html, { waitUntil: 'load' });
        return page.locator('*').count();
      };
      expect(await elements(hostile)).toBe(await elements({}));
      await elements(hostile);
      expect(await page.locator('h1').textContent()).toBe(hostile.header);
      const titled = await page.locator('.title').count();
      expect(await page.title()).toBe(titled ? hostile.title : hostile.header);
      if (titled) expect(await page.locator('.title').textContent()).toBe(hostile.title);
      if (type === 'captcha.html') {
        expect(await page.locator('.error span').textContent()).toBe(hostile.error);
      }
      expect({ requests, dialogs }).toEqual({ requests: [], dialogs: [] });
      await page.close();
    }
  });
});

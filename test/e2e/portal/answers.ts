import type { Route } from 'playwright-core';
import { numbered } from './visits.ts';

/** Answers of the API with more in them than there is. */

/** An answer with each item so often that there are a thousand. */
export async function thousandfold(route: Route): Promise<void> {
  if (route.request().method() !== 'GET') return route.continue();
  const response = await route.fetch();
  const body = await response.json().catch(() => undefined);
  const items = body?.results;
  const isNoun = !/\/(regions|projects|\w*flavors)\b/.test(route.request().url());
  if (!isNoun || !Array.isArray(items) || items.length === 0) return route.fulfill({ response });
  const results = Array.from({ length: 1000 }, (_, index) => numbered(items[index % items.length], index));
  return route.fulfill({ response, json: { ...body, results, count: 1000 } });
}

/** An answer that has each item twice, and once more with an id of its own. */
export async function twice(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = await response.json().catch(() => undefined);
  if (!Array.isArray(body?.results)) return route.fulfill({ response });
  const others = body.results.map((item: object) =>
    'id' in item && typeof item.id === 'string' ? { ...item, id: `other${item.id}` } : item,
  );
  return route.fulfill({
    response,
    json: { ...body, results: [...body.results, ...body.results, ...others] },
  });
}

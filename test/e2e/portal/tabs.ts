import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Portal } from './harness.ts';

/** Several tabs of one browser, which may open six connections to the server. */
export function tabStories(portal: Portal): void {
  const TABS = 8;

  test('eight tabs show their pages, and each hears of a task at once', async () => {
    const context = await portal.browser.newContext({ storageState: await portal.context.storageState() });
    const tabs: Page[] = [];
    for (let i = 0; i < TABS; i += 1) {
      const tab = await portal.newPage(context);
      await portal.go(2, 'routers', tab);
      await tab.getByRole('heading', { name: 'Routers', level: 1 }).waitFor();
      await tab
        .getByText(/No routers|of \d/)
        .first()
        .waitFor();
      tabs.push(tab);
    }
    const requested: string[] = [];
    tabs[0]?.on('request', (request) => void requested.push(new URL(request.url()).pathname));
    await portal.virga.ended(await portal.virga.call('POST', '/cloud/v1/routers/1/2', { name: 'tabbed' }));
    // Not with the next look at everything, which is half a minute away.
    for (const tab of tabs) await tab.getByRole('link', { name: 'tabbed' }).waitFor({ timeout: 15_000 });
    expect(requested.filter((path) => !/^\/cloud\/v1\/(routers\/1\/2|tasks)$/.test(path))).toEqual([]);
    await context.close();
  });
}

import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/harness/browser.ts';
import { type Figure, median } from './measure.ts';
import { inPage, signIn } from './portal.ts';
import { startBenchServer } from './server.ts';

const EACH = 100;
const TRIES = 3;
const SECONDS = 3;
const OVERVIEW = '/projects/1/regions/2';
/** A task on every tenth load balancer, and every seventh pool dead. */
const TASK = '5b2f7b0e-0f5d-4c33-9b5f-0f4f5e7a2f10';

/** What is done to the map while its frames are counted. */
const ACTS = ['nothing', 'scroll', 'point'] as const;
type Act = (typeof ACTS)[number];

/** The map of a project with 500 resources in a real browser: frames a second, as a share of those of an empty page. A
 *  browser without a graphics card draws on the processor: the share says what the map costs, and no more. */
export async function benchMap(): Promise<Figure[]> {
  const server = await startBenchServer();
  const browser = await launchBrowser();
  try {
    const state = await signIn(browser, server);
    const empty: number[] = [];
    const rates: Record<Act, number[]> = { nothing: [], scroll: [], point: [] };
    for (let i = 0; i < TRIES; i++) {
      empty.push(await inPage(browser, state, (page) => framesOf(page, 'nothing')));
      await inPage(browser, state, async (page) => {
        await page.route('**/virga/v1/map/1', (route) => route.fulfill({ json: mapOf(EACH) }));
        await page.goto(server.virga.url + OVERVIEW);
        await page.locator('[data-node]').first().waitFor();
        for (const act of ACTS) rates[act].push(await framesOf(page, act));
      });
    }
    const rate = (values: readonly number[]) => `${Math.round(median(values))}`;
    const most = median(empty);
    return [
      {
        what: `portal: map of ${5 * EACH} resources, frames a second at rest, scrolled and pointed at (an empty page: ${rate(empty)}), medians of ${TRIES}`,
        value: ACTS.map((act) => `${rate(rates[act])} (${(median(rates[act]) / most).toFixed(2)})`).join(
          ', ',
        ),
        goal: '60 (1.00)',
      },
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Addresses that lead to load balancers, pools, instances and networks. */
function mapOf(each: number) {
  const nodes: object[] = [];
  const edges: object[] = [];
  const add = (kind: string, id: string, more: object) => {
    const common = { detail: 'of the bench', region_id: 2, status: 'ACTIVE', task_id: null, part_of: null };
    nodes.push(Object.assign({ kind, id, name: id }, common, more));
  };
  for (let i = 0; i < each; i++) {
    add('floating_ip', `ip-${i}`, {});
    add('load_balancer', `lb-${i}`, { status: 'ONLINE', task_id: i % 10 === 0 ? TASK : null });
    add('pool', `pool-${i}`, { status: i % 7 === 0 ? 'ERROR' : 'ONLINE', part_of: `lb-${i}` });
    add('instance', `vm-${i}`, {});
    add('network', `net-${i}`, {});
    const chain = [`ip-${i}`, `lb-${i}`, `pool-${i}`, `vm-${i}`, `net-${i}`];
    for (const [index, to] of chain.slice(1).entries()) edges.push({ from: chain[index], to });
  }
  const regions = [{ id: 2, name: 'Simulated', simulated: true }];
  return { nodes, edges, regions, truncated: [] };
}

/** Frames a second by the page's own clock. */
const framesOf = (page: Page, act: Act): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const map = document.querySelector('[data-form]')?.parentElement;
    const boxes = [...document.querySelectorAll('[data-node]')];
    const begin = await frame();
    let now = begin;
    let frames = 0;
    while (now - begin < ${SECONDS * 1000}) {
      frames += 1;
      if ('${act}' === 'scroll') map.scrollTop = (frames * 12) % (map.scrollHeight - map.clientHeight);
      if ('${act}' === 'point' && frames % 6 === 0) {
        const [from, to] = [boxes[(frames / 6 - 1) % boxes.length], boxes[(frames / 6) % boxes.length]];
        from.dispatchEvent(new MouseEvent('mouseout', { bubbles: true, relatedTarget: to }));
      }
      now = await frame();
    }
    return (frames * 1000) / (now - begin);
  })()`);

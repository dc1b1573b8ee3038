import type { Page, Request } from 'playwright-core';
import { waitUntil } from '../../harness/wait.ts';
import type { Samples } from './samples.ts';

/** Opens each page that the portal's own router knows, and says what stands there. */

/** The addresses of every page, as the router has them: `/projects/$project/regions/$region/volumes/$id`. Those that
 *  stand for nothing of their own lead elsewhere, or to the frame around others. */
export const patternsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate("Object.keys(__TSR_ROUTER__.routesByPath).filter((path) => !['/', '/$'].includes(path))");

const NOTHING = '00000000-0000-4000-8000-000000000000';
const NUMBERED = ['clients', 'response-pages', 'storages'];
/** What needs an engine that not every machine has: tests of its own show it. */
const NEEDS_ENGINE = ['storages', 'databases'];

/** Whether a page is about one thing that the samples have none of. */
export const isMissing = (pattern: string, samples: Samples | undefined): boolean => {
  const noun = nounOf(pattern);
  return noun !== undefined && (samples === undefined || NEEDS_ENGINE.includes(noun));
};

/** The folder of a page about one thing. */
const nounOf = (pattern: string) => /\/([^/]+)\/\$(?!region)[^/]+$/.exec(pattern)?.[1];

/**
 * An address of a page of the first project in the simulated region.
 * @param samples what stands for the id in the address
 * @throws when a page is about one thing, and the samples have none
 */
export function addressOf(pattern: string, samples: Samples | undefined): string {
  const noun = nounOf(pattern);
  const scope = pattern.replace('$project', '1').replace('$region', '2');
  if (noun === undefined) return scope;
  const none = NUMBERED.includes(noun) ? '404' : NOTHING;
  const id = isMissing(pattern, samples) ? none : samples?.[noun];
  if (id === undefined) throw new Error(`${pattern}: test/e2e/portal/samples.ts makes no ${noun}`);
  return scope.replace(/\$[^/]+$/, id);
}

/** The script of a worker that tabs share: the browser never says that it has arrived. */
const isWorker = (request: Request): boolean => /\/assets\/task-worker-[^/]*\.js$/.test(request.url());

/** What a page has asked for and has not been answered yet; the stream of events never ends and is not counted. */
export class Questions {
  readonly #open = new Set<Request>();

  constructor(page: Page) {
    page.on('request', (request) => {
      if (request.resourceType() !== 'eventsource' && !isWorker(request)) this.#open.add(request);
    });
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => this.#open.delete(request));
  }

  get open(): number {
    return this.#open.size;
  }
}

/** What somebody sees who has opened a page. */
export interface Sight {
  readonly title: string;
  /** What tabs, bookmarks and the history say. */
  readonly window: string;
  /** What cannot be pressed, and does not say why. */
  readonly mute: readonly string[];
  /** What is so built that not everybody gets at it, or that it says what is not so. */
  readonly flaws: readonly string[];
  /** Words that no person writes. */
  readonly odd: readonly string[];
  /** What is said to be wrong, in the page's words. */
  readonly faults: readonly string[];
  /** Where what is said to be wrong leads on. */
  readonly ways: readonly string[];
  /** What can be pressed to go on. */
  readonly offers: number;
  readonly rows: number;
  readonly width: number;
}

/** What stands on the page, read in the page itself. */
const SIGHT = `(() => {
  const said = [...document.querySelectorAll('[role=alert], .mantine-InputWrapper-error')];
  const mute = [...document.querySelectorAll('main button:disabled:not([data-loading])')];
  const odd = document.body.innerText.match(/.{0,20}(\\bundefined\\b|\\bNaN\\b|\\[object |Invalid Date).{0,20}/g);
  const all = (what) => [...document.querySelectorAll('main ' + what)];
  const isLow = ({ offsetWidth, offsetHeight }) => offsetWidth > 0 && Math.min(offsetWidth, offsetHeight) < 24;
  // Where a title has one line, what is cut off is at its end.
  const cuts = (box) => !box.closest('[data-form=tight]') &&
    [...box.children].some((line) => line.className !== 'visually-hidden' && line.scrollHeight > line.clientHeight);
  const isBelow = (link) => link.offsetHeight > 0 && link.getBoundingClientRect().bottom > innerHeight;
  const flaws = [
    ...all('figure').filter(({ parentElement: frame }) => frame.scrollWidth > frame.clientWidth)
      .map(({ ariaLabel }) => 'cuts the picture ' + ariaLabel),
    ...all('.mantine-NumberInput-control').filter(isLow).map(() => 'has a stepper lower than 24 px'),
    ...all('select').filter(({ selectedOptions: [one] }) => one?.text === 'something else')
      .map(() => 'does not say by what its list is sorted'),
    ...all('[data-node]').filter(cuts).map((box) => 'cuts lines of ' + box.innerText),
    ...[...document.querySelectorAll('aside [data-active=true]')].filter(isBelow)
      .map(({ innerText }) => 'does not show ' + innerText + ' in the bar'),
  ];
  return {
    flaws,
    window: document.title,
    mute: mute.filter((button) => !button.title).map((button) => button.innerText.trim()),
    odd: odd ?? [],
    title: document.querySelector('h1')?.innerText.trim() ?? '',
    faults: said.map((element) => element.innerText.trim()),
    ways: [...document.querySelectorAll('[role=alert] a')].map((link) => link.getAttribute('href')),
    offers: document.querySelectorAll('main button, main a').length,
    rows: document.querySelectorAll('[data-row]').length,
    width: document.documentElement.scrollWidth,
  };
})()`;

/** What stands there, or nothing while something is still to come after everything that is known has been drawn. Both
 *  are read at once: an error that is asked anew makes way for what waits, and a moment later stands there again. */
const sightOf = (address: string) => `(async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { status, resolvedLocation } = __TSR_ROUTER__.state;
  const waits = '[aria-busy=true], .mantine-Skeleton-root, .mantine-Loader-root';
  const moves = status !== 'idle' || resolvedLocation?.pathname !== ${JSON.stringify(address)} ||
    document.querySelector('h1') === null || document.querySelector(waits) !== null;
  return moves ? undefined : ${SIGHT};
})()`;

/** Goes to an address without loading the portal anew, and waits until nothing moves there any more. */
export async function visit(page: Page, questions: Questions, address: string): Promise<Sight> {
  await page.evaluate(`__TSR_ROUTER__.navigate({ to: ${JSON.stringify(address)} })`);
  const still = async () => {
    if (questions.open > 0) return;
    const sight = await page.evaluate<Sight | undefined>(sightOf(address));
    return questions.open === 0 ? sight : undefined;
  };
  // Twice: what has been drawn may ask for more.
  return waitUntil(async () => (await still()) && (await still()), { what: `${address} to stand still` });
}

/** An item like another, with an id of its own. */
export function numbered(item: Readonly<Record<string, unknown>>, index: number): object {
  const ids = ['id', 'uuid', 'port_id', 'servergroup_id', 'name'].filter((key) => key in item);
  return {
    ...item,
    ...Object.fromEntries(
      ids.map((key) => [key, typeof item[key] === 'number' ? index + 1 : `${item[key]}-${index}`]),
    ),
  };
}

import { type InvalidFields, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Tx } from '../../platform/database/db.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { renderPage } from './html/page.ts';
import { readLogo } from './logo.ts';
import { PAGE_OF, PAGES, type PageContent, type PageType } from './model.ts';
import type { CreateCustomPageSet, Pages, SetListQuery, UpdateCustomPageSet } from './schema.ts';
import * as store from './store.ts';

/** The HTML of a page with these texts; nothing is kept. The logo has been judged by `previewFaults`. */
export async function previewPage(type: PageType, content: PageContent): Promise<{ html: string }> {
  const result = typeof content.logo === 'string' ? await readLogo(content.logo) : undefined;
  return { html: renderPage(PAGE_OF[type], content, result?.ok ? result.logo : undefined) };
}

/** What is wrong with the logo of a preview, beyond what its schema says. */
export async function previewFaults(body: unknown): Promise<InvalidFields> {
  return logoFaults(body, 'logo');
}

/** What is wrong with the logos of a set, beyond what its schema says. */
export async function setFaults(body: unknown): Promise<InvalidFields> {
  const faults = await Promise.all(PAGES.map((page) => logoFaults(member(body, page), `${page}.logo`)));
  return Object.assign({}, ...faults);
}

async function logoFaults(holder: unknown, field: string): Promise<InvalidFields> {
  const logo = member(holder, 'logo');
  if (typeof logo !== 'string') return {};
  const result = await readLogo(logo);
  return result.ok ? {} : { [field]: [result.reason] };
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function viewSet(row: store.SetRow) {
  const pages = PAGES.map((page) => [page, row.pages[page] ?? null]);
  return { id: row.id, name: row.name, domains: row.domains, ...Object.fromEntries(pages) };
}

export async function listSets(ctx: RequestContext, query: SetListQuery) {
  const { limit, offset } = query;
  const { count, rows } = await store.listSets(ctx.db, ctx.caller.clientId, query);
  return { limit, offset, count, results: rows.map(viewSet) };
}

/** @throws NotFound, also for a set of another client */
export async function getSet(ctx: RequestContext, id: number) {
  const row = await store.readSet(ctx.db, ctx.caller.clientId, id);
  return viewSet(row ?? notFound(id));
}

/** Of one account: a set may have some MiB of logos. */
export const MAX_SETS = 100;
export const MAX_MIB = 32;

async function refuseMoreBytes(tx: Tx, clientId: number, exceptId: number): Promise<void> {
  await refuseMore(tx, {
    what: 'MiB of response pages',
    owner: `account ${clientId}`,
    limit: MAX_MIB,
    count: async () => Math.floor((await store.bytesOfSets(tx, clientId, exceptId)) / 1024 / 1024),
  });
}

/** @throws Forbidden for one set too many */
export async function createSet(ctx: RequestContext, input: CreateCustomPageSet) {
  return ctx.db.transaction(async (tx) => {
    const { clientId } = ctx.caller;
    await refuseMore(tx, {
      what: 'sets of response pages',
      owner: `account ${clientId}`,
      limit: MAX_SETS,
      count: () => store.countSets(tx, clientId),
    });
    await refuseMoreBytes(tx, clientId, 0);
    const row = await store.insertSet(tx, {
      clientId: ctx.caller.clientId,
      name: input.name,
      domains: input.domains ?? null,
      pages: mergePages({}, input),
      timestamp: ctx.clock.timestamp(),
    });
    await recordAudit(tx, ctx, { action: 'create_custom_page_set', subject: row.id, name: row.name });
    return viewSet(row);
  });
}

/** Changes what is given: a page as a whole, null removes it. @throws NotFound */
export async function updateSet(ctx: RequestContext, id: number, input: UpdateCustomPageSet): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const row = (await store.lockSet(tx, ctx.caller.clientId, id)) ?? notFound(id);
    await refuseMoreBytes(tx, ctx.caller.clientId, id);
    const name = input.name ?? row.name;
    await store.updateSet(tx, id, {
      name,
      domains: input.domains === undefined ? row.domains : input.domains,
      pages: mergePages(row.pages, input),
    });
    await recordAudit(tx, ctx, { action: 'update_custom_page_set', subject: id, name });
  });
}

/** @throws NotFound */
export async function deleteSet(ctx: RequestContext, id: number): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (!(await store.deleteSet(tx, ctx.caller.clientId, id))) notFound(id);
    await recordAudit(tx, ctx, { action: 'delete_custom_page_set', subject: id });
  });
}

function mergePages(stored: Pages, change: Pages): Pages {
  const entries = PAGES.map((page) => [page, change[page] === undefined ? stored[page] : change[page]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

function notFound(id: number): never {
  throw new NotFound(`Custom page set ${id} was not found`);
}

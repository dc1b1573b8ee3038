import { NotFound } from '../../../kernel/errors.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { DataPlanes } from '../data-planes.ts';
import type { AccessLogQuery } from './schema.ts';
import { readLogging } from './store.ts';

/** The last lines of a load balancer's log, from the disk of the region.
 *  @throws NotFound */
export async function readAccessLog(
  planes: DataPlanes,
  ctx: RegionContext,
  id: string,
  { limit, status, text }: AccessLogQuery,
) {
  const { region } = ctx;
  const logging = await readLogging(ctx.db, { id, projectId: ctx.project.id, regionId: region.id });
  if (!logging) throw new NotFound(`Load balancer ${id} was not found`);
  const none = (unavailable: string) => ({ lines: [], is_all: true, unavailable });
  const provider = planes.of(region.id);
  if (!provider?.readLog)
    return none(`There are no logs in region ${region.name}: nobody sends requests to its load balancers`);
  const seen = await provider.readLog(id, { limit, statuses: status ?? null, text: text || null });
  if (seen) return { lines: seen.lines, is_all: seen.isAll, unavailable: null };
  if (!logging.is_on)
    return none('It writes no log: give it a topic, with logging.enabled and logging.topic_name');
  return (await planes.isElsewhere(region.id))
    ? none(`Another node works on region ${region.name}, and the log is on its disk: ask that node`)
    : none('It has not been asked for anything since its log was turned on');
}

import { nullable, zuluTime } from '../../kernel/codecs.ts';
import type { AttentionSource } from '../../platform/attention/source.ts';
import { roleIn } from '../../platform/auth/caller.ts';
import type { ProjectContext } from '../../platform/http/context.ts';
import { projectPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { AttentionList } from './schema.ts';

async function readAttention(
  { db, caller, project, clock }: ProjectContext,
  sources: readonly AttentionSource[],
) {
  const ask = {
    clientId: project.clientId,
    projectId: project.id,
    role: roleIn(caller, project.id),
    now: clock.now(),
  };
  const found = (await Promise.all(sources.map((source) => source(db, ask)))).flat();
  // What does not do its work comes first.
  found.sort((a, b) => Number(b.severity === 'failed') - Number(a.severity === 'failed'));
  const results = found.map(({ regionId: region_id, subject = null, since, ...item }) => ({
    ...item,
    subject,
    region_id,
    since: nullable(zuluTime)(since),
  }));
  return { count: results.length, results };
}

export const attentionRoutes = (sources: readonly AttentionSource[]): readonly Route[] => [
  projectPath('Attention', '/virga/v1/attention/{project_id}').get({
    operationId: 'listAttention',
    summary: 'List what of a project needs a person',
    description:
      'In all regions: what does not work or only partly, tasks that failed, quotas at their threshold, what expires within 30 days, webhooks that fail. At most 50 of each kind.',
    response: AttentionList,
    handler: (ctx) => readAttention(ctx, sources),
  }),
];

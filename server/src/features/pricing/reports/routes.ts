import { recordLook } from '../../../platform/audit/audit.ts';
import { clientPath, plainPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { Key } from '../../../platform/http/schemas.ts';
import { KEPT_DAYS } from './model.ts';
import { checkReport, type Reports } from './reports.ts';
import {
  CostReport,
  ReportCosts,
  ReportTotalCosts,
  ReportUsage,
  TotalCostReport,
  UsageReport,
} from './schema.ts';

const TAG = 'Pricing';
const description =
  `Of instances, nodes of clusters, volumes, snapshots, images, load balancers, floating IPs and external addresses ` +
  `of the account, as far back as ${KEPT_DAYS} days. Costs are those of today's price list.`;

/** They change nothing, so that whoever may read may ask. */
export const reportRoutes = (reports: Reports): readonly Route[] => [
  plainPath(TAG, '/cloud/v1/cost_report/resources').post({
    operationId: 'reportCosts',
    summary: 'Say what each resource was used for, and what that costs',
    description,
    access: 'read',
    body: ReportCosts,
    rules: checkReport,
    response: CostReport,
    handler: (ctx, { body }) => reports.costs(ctx, body),
  }),
  plainPath(TAG, '/cloud/v1/cost_report/totals').post({
    operationId: 'reportTotalCosts',
    summary: 'Say what resources were used for in all, and what that costs',
    description,
    access: 'read',
    body: ReportTotalCosts,
    rules: checkReport,
    response: TotalCostReport,
    handler: (ctx, { body }) => reports.totalCosts(ctx, body),
  }),
  plainPath(TAG, '/cloud/v1/usage_report').post({
    operationId: 'reportUsage',
    summary: 'Say what resources were used for',
    description,
    access: 'read',
    body: ReportUsage,
    rules: checkReport,
    response: UsageReport,
    handler: (ctx, { body }) => reports.usage(ctx, body),
  }),
  clientPath('Operator', '/virga/v1/clients/{client_id}/usage_report', { client_id: Key() }).post({
    operationId: 'reportUsageOfClient',
    summary: 'Say what resources of a client were used for',
    access: 'operate',
    body: ReportUsage,
    rules: checkReport,
    response: UsageReport,
    handler: async (ctx, { body }) => {
      const report = await reports.usage({ ...ctx, caller: { ...ctx.caller, clientId: ctx.clientId } }, body);
      // What is refused is no look.
      await recordLook(ctx, 'usage_report');
      return report;
    },
  }),
];

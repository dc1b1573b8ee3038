import { Type } from '@sinclair/typebox';
import { plainPath } from '../../../platform/http/paths.ts';
import type { Route } from '../../../platform/http/route.ts';
import { IpNetwork } from '../../../platform/http/schemas.ts';
import { readExternalRanges } from './subnets/store.ts';

const EgressRanges = Type.Object({ ranges: Type.Array(IpNetwork()) }, { $id: 'EgressRanges' });

/** Where traffic of the cloud comes from: everything that leaves a region has an address of its own network. */
export const egressRoutes: readonly Route[] = [
  plainPath('Networks', '/cloud/public/v1/ipranges/egress').get({
    operationId: 'listEgressRanges',
    summary: 'List the addresses that traffic of the cloud comes from',
    access: { public: 'others put these addresses into their firewalls' },
    response: EgressRanges,
    handler: async (ctx) => ({ ranges: await readExternalRanges(ctx.db) }),
  }),
];

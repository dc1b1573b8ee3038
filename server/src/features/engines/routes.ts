import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import type { EnginesDeps } from './index.ts';
import { EngineList } from './schema.ts';

export const engineRoutes = ({ node, engines }: EnginesDeps): readonly Route[] => [
  plainPath('Operator', '/virga/v1/engines').get({
    summary: 'List the programs that regions of this machine need',
    description:
      'What is there, whether it works, and what to do when it is not. What is installed while the server runs counts within seconds.',
    access: 'operate',
    response: EngineList,
    handler: async () => {
      const results = [...engines()];
      return { node, count: results.length, results };
    },
  }),
];

import { post, remove, type Scenario } from './scenario.ts';

export const projects: Readonly<Record<string, Scenario>> = {
  delete_project: {
    prepare: async ({ call }) => String((await call(post('/cloud/v1/projects', { name: 'old' }))).body.id),
    start: (id) => remove(`/cloud/v1/projects/${id}`),
  },
};

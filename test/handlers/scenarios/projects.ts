import { post, remove, type Scenario } from './scenario.ts';

export const projects: Readonly<Record<string, Scenario>> = {
  delete_project: {
    prepare: async ({ call }) => String((await call(post('/cloud/v1/projects', { name: 'old' }))).body.id),
    start: (id) => remove(`/cloud/v1/projects/${id}`),
  },
  delete_client: {
    prepare: async ({ call }) => {
      const created = await call({
        ...post('/virga/v1/clients', { name: 'Old Ltd', email: 'a@b.test' }),
        as: 'operator',
      });
      const path = `/virga/v1/clients/${created.body.id}`;
      await call({
        ...post(`${path}/suspend`, { reason: 'It leaves', data_planes: 'running' }),
        as: 'operator',
      });
      return path;
    },
    start: (path = '') => ({ ...remove(path), as: 'operator' }),
  },
};

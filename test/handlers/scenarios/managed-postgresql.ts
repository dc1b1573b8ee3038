import { CLUSTERS, clusterBody, STATUS } from '../../harness/managed-postgresql.ts';
import { type Preparation, patch, post, put, remove, type Scenario } from './scenario.ts';

/** What servers check passwords with has a salt. */
const SALTED = [/SCRAM-SHA-256\$[^"]*/g];

async function activated({ call }: Preparation): Promise<string> {
  await call(put(STATUS, { is_initialized: true }));
  return '';
}

async function existing(setup: Preparation): Promise<string> {
  await activated(setup);
  return setup.finished(post(CLUSTERS, clusterBody('lab')));
}

async function older(setup: Preparation): Promise<string> {
  await activated(setup);
  return setup.finished(post(CLUSTERS, clusterBody('lab', '17')));
}

export const managedPostgresql: Readonly<Record<string, Scenario>> = {
  create_dbaas_postgres_cluster: {
    prepare: activated,
    start: () => post(CLUSTERS, clusterBody('lab')),
    blur: SALTED,
  },
  update_dbaas_postgres_cluster: {
    prepare: older,
    start: () =>
      patch(`${CLUSTERS}/lab`, {
        storage: { size_gib: 20 },
        pg_server_configuration: { version: '18' },
        users: [{ name: 'reader', role_attributes: ['LOGIN'] }],
        databases: [{ name: 'reports', owner: 'reader' }],
      }),
    blur: SALTED,
  },
  regenerate_dbaas_postgres_credentials: {
    prepare: existing,
    start: () => ({ ...post(`${CLUSTERS}/lab/users/app/credentials`), waits: true }),
    blur: SALTED,
  },
  delete_dbaas_postgres_cluster: {
    prepare: existing,
    start: () => remove(`${CLUSTERS}/lab`),
    failureLeaves: 'its data may be gone, so that it is FAILED until it is deleted again',
    blur: SALTED,
  },
};

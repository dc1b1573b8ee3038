import { clusterBody } from '../../harness/managed-postgresql.ts';
import { type Actor, SIMULATED } from './actor.ts';

const CLUSTERS = `/cloud/v1/dbaas/postgres/clusters/1/${SIMULATED}`;

/** Creates a cluster, lets it grow, brings it to a newer version, and deletes it. The service is activated before the
 *  storm. */
export const postgresql: Actor = {
  weight: 2,
  async live(client, number) {
    const name = `chaos-${number}`;
    const path = `${CLUSTERS}/${name}`;
    const truth = { status: 'READY', 'storage.size_gib': 10, 'pg_server_configuration.version': '17' };
    const body = clusterBody(name, '17');
    if (!(await client.create(CLUSTERS, body, 'postgresql_clusters', () => path, truth))) return;
    const larger = { ...truth, 'storage.size_gib': 20 };
    const grow = { storage: { size_gib: 20 }, users: [{ name: 'reader', role_attributes: ['LOGIN'] }] };
    if (!(await client.change(['PATCH', path, grow], path, larger))) return;
    const newer = { ...larger, 'pg_server_configuration.version': '18' };
    const upgrade = { pg_server_configuration: { version: '18' } };
    if (client.random() < 0.5 && !(await client.change(['PATCH', path, upgrade], path, newer))) return;
    await client.maybeRemove(path);
  },
  all: [{ list: `${CLUSTERS}?limit=1000`, one: ({ cluster_name: name }) => `${CLUSTERS}/${name}` }],
};

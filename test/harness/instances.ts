import { sql } from '../../server/src/platform/database/sql.ts';
import type { TestServer } from './server.ts';

/** An instance of project 1 in region 2 that is there, as if it had been made without volumes. */
export async function addInstance(
  { db }: Pick<TestServer, 'db'>,
  id: string,
  { name = 'machine', status = 'ACTIVE' } = {},
): Promise<string> {
  await db.run(sql`insert into instances (id, client_id, project_id, region_id, name, flavor, status, vm_state, private_ip,
            network_name, network_id, subnet_id, status_since, created_at, updated_at)
     values (${id}, 1, 1, 2, ${name}, '{"id": "g1-standard-1-2", "vcpus": 1, "ram": 2048, "architecture": "x86_64",
             "osType": "linux", "resourceClass": null, "gpu": null}', ${status}, lower(${status}), '10.0.0.9', 'net',
             gen_random_uuid(), gen_random_uuid(), now(), now(), now())`);
  return id;
}

import { authoritiesBefore } from '../../platform/certificates/authorities.ts';
import type { CertificateInUse } from '../../platform/certificates/watch.ts';
import type { Db } from '../../platform/database/db.ts';
import { sql } from '../../platform/database/sql.ts';
import { CA_DAYS } from '../../platform/x509/issue.ts';

/** The clusters' own authorities that expire before a moment; none is younger than its cluster. */
export async function authoritiesOfClusters(db: Db, before: Date): Promise<readonly CertificateInUse[]> {
  const rows = await db.rows<{
    of: string;
    ca_certificate: string;
  }>(sql`select 'PostgreSQL cluster ' || name as of, ca_certificate from postgresql_clusters
      where ca_certificate is not null and created_at < ${before}::timestamptz - make_interval(days => ${CA_DAYS})
      order by created_at limit 1000`);
  return authoritiesBefore(rows, before);
}

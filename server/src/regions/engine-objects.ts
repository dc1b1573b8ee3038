import type { Db } from '../platform/database/db.ts';
import { sql } from '../platform/database/sql.ts';
import type { EngineFacts, EngineObject, EngineObjects, ObjectKind } from '../providers/openstack/index.ts';

interface Row {
  readonly id: string;
  readonly engine_id: string;
  readonly facts: EngineFacts;
}

const viewOf = ({ engine_id: engineId, facts }: Row): EngineObject => ({ engineId, facts });

/** What lives where in the cloud of a region. */
export function engineObjects(db: Db, regionId: number): EngineObjects {
  return {
    async find(kind, id) {
      const row = await db.row<Row>(
        sql`select id, engine_id, facts from engine_objects where region_id = ${regionId} and kind = ${kind} and id = ${id}`,
      );
      return row && viewOf(row);
    },
    async all(kind) {
      const rows = await db.rows<Row>(
        sql`select id, engine_id, facts from engine_objects where region_id = ${regionId} and kind = ${kind}`,
      );
      return new Map(rows.map((row) => [row.id, viewOf(row)]));
    },
    async save(kind: ObjectKind, id: string, { engineId, facts }: EngineObject) {
      await db.run(sql`insert into engine_objects (region_id, kind, id, engine_id, facts) values (${regionId}, ${kind}, ${id}, ${engineId}, ${JSON.stringify(facts)})
         on conflict (region_id, kind, id) do update set engine_id = excluded.engine_id, facts = excluded.facts`);
    },
    async saveCounters(kind, id, counters) {
      await db.run(sql`update engine_objects set facts = facts || jsonb_build_object('counters', ${JSON.stringify(counters)}::jsonb)
          where region_id = ${regionId} and kind = ${kind} and id = ${id}`);
    },
    async forget(id) {
      await db.run(sql`delete from engine_objects where region_id = ${regionId} and id = ${id}`);
    },
  };
}

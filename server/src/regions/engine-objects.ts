import type { Db } from '../platform/database/db.ts';
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
      const row = await db.namedRow<Row>(
        'engine_object_get',
        'select id, engine_id, facts from engine_objects where region_id = $1 and kind = $2 and id = $3',
        [regionId, kind, id],
      );
      return row && viewOf(row);
    },
    async all(kind) {
      const rows = await db.named<Row>(
        'engine_object_all',
        'select id, engine_id, facts from engine_objects where region_id = $1 and kind = $2',
        [regionId, kind],
      );
      return new Map(rows.map((row) => [row.id, viewOf(row)]));
    },
    async save(kind: ObjectKind, id: string, { engineId, facts }: EngineObject) {
      await db.named(
        'engine_object_save',
        `insert into engine_objects (region_id, kind, id, engine_id, facts) values ($1, $2, $3, $4, $5)
         on conflict (region_id, kind, id) do update set engine_id = excluded.engine_id, facts = excluded.facts`,
        [regionId, kind, id, engineId, JSON.stringify(facts)],
      );
    },
    async saveCounters(kind, id, counters) {
      await db.named(
        'engine_object_count',
        `update engine_objects set facts = facts || jsonb_build_object('counters', $4::jsonb)
          where region_id = $1 and kind = $2 and id = $3`,
        [regionId, kind, id, JSON.stringify(counters)],
      );
    },
    async forget(id) {
      await db.named('engine_object_forget', 'delete from engine_objects where region_id = $1 and id = $2', [
        regionId,
        id,
      ]);
    },
  };
}

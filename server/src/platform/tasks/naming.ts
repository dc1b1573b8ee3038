import type { Queryable } from '../database/db.ts';

/** A task of the region that has not ended and whose input names this id: it may need what has the id until then,
 *  to go back to it.
 *  @returns the task's id, or undefined */
export async function findTaskNaming(
  db: Queryable,
  { projectId, regionId }: { projectId: number; regionId: number },
  id: string,
): Promise<string | undefined> {
  const [row] = await db.named<{ id: string }>(
    'task_naming',
    `select id from tasks
      where project_id = $1 and region_id = $2 and state in ('NEW', 'RUNNING') and strpos(input::text, $3) > 0
      order by created_at limit 1`,
    [projectId, regionId, id],
  );
  return row?.id;
}

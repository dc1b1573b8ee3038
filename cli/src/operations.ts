import type { OperationRow, Table } from './table/shapes.ts';
import made from './table/table.gen.json' with { type: 'json' };

/** All operations of the API, as the command knows them. */
export const TABLE = made as unknown as Table;

const byId = new Map(TABLE.operations.map((row) => [row.id, row]));

/** @param id name of the operation in the API's document */
export function operation(id: string): OperationRow {
  const row = byId.get(id);
  if (!row) throw new Error(`there is no operation ${id}`);
  return row;
}

import { Forbidden } from '../../kernel/errors.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import type { FloatingIpProvider } from '../floating-ips/index.ts';
// TEMPORARY until net's slice
export async function attachFloatingIp(
  _tx: Tx,
  ctx: RegionContext,
  _p: FloatingIpProvider | undefined,
  _to: object,
): Promise<number> {
  throw new Forbidden(`Region ${ctx.region.name} has no floating IPs for instances`);
}
export async function addressAttached(_db: Db, _p: FloatingIpProvider, _t: string): Promise<string[]> {
  return [];
}
export async function settleAttached(_tx: Tx, _t: string, _ts: string): Promise<void> {}
export async function dropAttached(_tx: Tx, _t: string, _ts: string): Promise<void> {}
export async function holdFloatingIpsOf(
  _tx: Tx,
  _ids: readonly string[],
  _t: string,
): Promise<{ id: string }[]> {
  return [];
}
export async function freeFloatingIps(
  _tx: Tx,
  _o: { taskId: string; timestamp: string; deleted: readonly string[] },
): Promise<void> {}

import { Conflict, Forbidden, NotFound } from '../../../kernel/errors.ts';
import { Faults } from '../../../kernel/faults.ts';
import { pick } from '../../../platform/database/rows.ts';
import type { RegionContext } from '../../../platform/http/context.ts';
import type { TaskRef } from '../../../platform/tasks/start.ts';
import type { LoadBalancerTree, MemberRow } from '../model.ts';
import { storedAddress } from '../parts/rows.ts';
import { differing, type PartService, partOf, scopeOf } from '../parts/service.ts';
import { requireOfMembers } from '../references.ts';
import { replaceMembers } from './replace.ts';
import { checkMembers, memberKey } from './rules.ts';
import { MAX_MEMBERS, type MemberInput, type MemberOfList, type UpdateMember } from './schema.ts';

/** Commands on the members of a pool: one transaction and one task each. */
export class MemberService {
  readonly #parts: PartService;

  constructor(parts: PartService) {
    this.#parts = parts;
  }

  /** @throws Invalid, NotFound for the pool and what the body names, Conflict when it is a member already, Forbidden
   *  for one too many */
  async create(ctx: RegionContext, poolId: string, input: MemberInput): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'pool', id: poolId }, async ({ tree, rows, tx }) => {
      const pool = partOf(tree.pools, poolId, 'Pool');
      await requireOfMembers(tx, [input], scopeOf(tree));
      const twin = tree.members.find((row) => row.pool_id === pool.id && memberKey(row) === memberKey(input));
      if (twin) {
        throw new Conflict(`${input.address} port ${input.protocol_port} is member ${twin.id} of this pool`);
      }
      if (tree.members.filter((row) => row.pool_id === pool.id).length >= MAX_MEMBERS) {
        throw new Forbidden(
          `Pool ${pool.id} has ${MAX_MEMBERS} members, which is the most; delete one first`,
        );
      }
      const id = rows.addMember(pool.id, input);
      return { task: 'create_lbmember', subject: { id, name: nameOf(input) }, data: { pool_id: pool.id } };
    });
  }

  /** Gives the pool exactly these members.
   *  @throws Invalid naming every faulty member, NotFound */
  async replace(ctx: RegionContext, poolId: string, members: readonly MemberOfList[]): Promise<TaskRef> {
    const faults = new Faults();
    checkMembers(members, '', faults);
    faults.refuse();
    return this.#parts.changePart(ctx, { kind: 'pool', id: poolId }, async ({ tree, rows, tx }) => {
      const pool = partOf(tree.pools, poolId, 'Pool');
      await requireOfMembers(tx, members, scopeOf(tree));
      const { patches, removals } = replaceMembers(tree, rows, pool.id, members);
      return {
        task: 'put_lbmembers',
        subject: { id: pool.id, name: pool.name },
        updates: { member: patches },
        removals,
        created: { members: patches.map(({ id }) => id) },
      };
    });
  }

  /** @throws Invalid, NotFound */
  async update(ctx: RegionContext, poolId: string, id: string, input: UpdateMember): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'member', id }, ({ tree }) => {
      const row = memberOf(tree, poolId, id);
      const set = differing('member', row, {
        monitor_address:
          input.monitor_address === undefined ? undefined : storedAddress(input.monitor_address),
        ...pick(input, ['weight', 'admin_state_up', 'backup', 'monitor_port']),
      });
      return {
        task: 'patch_lbmember',
        subject: { id: row.id, name: nameOf(row) },
        data: { pool_id: row.pool_id },
        updates: { member: [{ id: row.id, set }] },
        created: { members: [row.id] },
      };
    });
  }

  /** @throws NotFound */
  async delete(ctx: RegionContext, poolId: string, id: string): Promise<TaskRef> {
    return this.#parts.changePart(ctx, { kind: 'member', id }, ({ tree }) => {
      const row = memberOf(tree, poolId, id);
      return {
        task: 'delete_lbmember',
        subject: { id: row.id, name: nameOf(row) },
        data: { pool_id: row.pool_id },
        removals: [{ kind: 'member', id: row.id }],
      };
    });
  }
}

function memberOf(tree: LoadBalancerTree, poolId: string, id: string): MemberRow {
  const row = partOf(tree.members, id, 'Member');
  if (row.pool_id !== poolId.toLowerCase()) throw new NotFound(`Member ${id} was not found`);
  return row;
}

/** Members have no names of their own. */
const nameOf = ({ address, protocol_port: port }: Pick<MemberInput, 'address' | 'protocol_port'>) =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

import { existsSync, rmSync } from 'node:fs';
import { TaskFailed } from '../../../kernel/errors.ts';
import { writeFileAtomically } from '../../../kernel/files.ts';
import { madeElsewhere } from '../host/engine.ts';
import { makePassage } from '../host/files.ts';
import type { Paths } from './paths.ts';

/** Which clusters are of this machine. What one machine of a region had begun, and another one has made, is there alone. */
export class MadeHere {
  /** Clusters whose creation is under way; undefined: nobody has said so yet. */
  #new: ReadonlySet<string> | undefined;

  /** Notes that a cluster is made here from now on, before it has anything. */
  begin({ id, home, data, making }: Paths): void {
    if (existsSync(data)) return;
    makePassage(home);
    writeFileAtomically(making, '');
    if (this.#new) this.#new = new Set([...this.#new, id]);
  }

  /** The task that makes it has made all of it. @throws TaskFailed where it has not */
  end({ data, making }: Paths): void {
    if (!existsSync(data)) throw new TaskFailed(madeElsewhere('cluster'));
    rmSync(making, { force: true });
  }

  /** Which creations are under way. */
  know(ids: readonly string[]): void {
    this.#new = new Set(ids);
  }

  /** Another process may work on the region. */
  forget(): void {
    this.#new = undefined;
  }

  /** Whether it was made here to its end. */
  isWhole = ({ data, making }: Paths): boolean => existsSync(data) && !existsSync(making);

  /** The same, or it is being made here; undefined: not known yet. */
  isHere(paths: Paths): boolean | undefined {
    if (this.isWhole(paths)) return true;
    return existsSync(paths.data) ? this.#new?.has(paths.id) : false;
  }
}

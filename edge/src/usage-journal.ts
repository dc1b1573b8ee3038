import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../signing/src/folders.mjs';
import { summed, type VideoUsage } from './usage.ts';
import type { UsageReport } from './usage-report.ts';

/** What was counted and not yet acknowledged. */
export interface Unreported {
  readonly unsent: readonly UsageReport[];
  /** Belongs to no report yet, and since when. */
  readonly counted: readonly VideoUsage[];
  readonly since: string | undefined;
}

type Line =
  | { readonly since: string }
  | { readonly report: UsageReport }
  | { readonly counted: VideoUsage[] };

/** A small file that outlives a `kill -9`: lines of JSON, to which counts are appended as they come, and which
 *  is written anew when they become a report or a report was acknowledged. Not synced to the disk: only a
 *  machine that loses its power loses more than the process does. */
export class UsageJournal {
  readonly #path: () => string;

  /** @param file where it is, or what says where it is now */
  constructor(file: string | (() => string)) {
    this.#path = typeof file === 'string' ? () => file : file;
    makeFolder(path.dirname(this.#file));
  }

  get #file(): string {
    return this.#path();
  }

  /** A last line that was cut off says nothing. */
  read(): Unreported {
    const lines = this.#lines();
    return {
      since: lines.flatMap((line) => ('since' in line ? [line.since] : []))[0],
      unsent: lines.flatMap((line) => ('report' in line ? [line.report] : [])),
      counted: summed(lines.flatMap((line) => ('counted' in line ? line.counted : []))),
    };
  }

  append(counted: readonly VideoUsage[]): void {
    appendFileSync(this.#file, text([{ counted: [...counted] }]), { mode: 0o600 });
  }

  /** In one step: whoever reads it finds the old or the new content. */
  replace({ unsent, counted, since }: Unreported): void {
    const draft = `${this.#file}.draft`;
    const lines: Line[] = [
      ...(since === undefined ? [] : [{ since }]),
      ...unsent.map((report) => ({ report })),
      ...(counted.length > 0 ? [{ counted: [...counted] }] : []),
    ];
    writeFileSync(draft, text(lines), { mode: 0o600 });
    renameSync(draft, this.#file);
  }

  #lines(): Line[] {
    let content: string;
    try {
      content = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    return content
      .slice(0, content.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  }
}

const text = (lines: readonly Line[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

import type ts from 'typescript';
import type { Describer } from './describe.ts';
import type { Found } from './statements.ts';
import { faultsOfParams, faultsOfRow } from './types.ts';

/** What PostgreSQL has against the statements, and where it describes them otherwise than the sources do: one line for
 *  each fault, with file, line and the beginning of the statement. */
export async function faultsOf(
  checker: ts.TypeChecker,
  describer: Describer,
  statements: readonly Found[],
): Promise<readonly string[]> {
  const lines = new Map<string, string>();
  for (const statement of statements) {
    for (const fault of await faultsOfOne(checker, describer, statement)) {
      const line = `${statement.where}: ${fault}`;
      if (!lines.has(line)) lines.set(line, `${line}, in: ${shortened(statement.text)}`);
    }
  }
  return [...lines.values()];
}

async function faultsOfOne(
  checker: ts.TypeChecker,
  describer: Describer,
  statement: Found,
): Promise<string[]> {
  const { row, params, text, method } = statement;
  try {
    const described = await describer.describe(text);
    const ofRow = row ? faultsOfRow(checker, row, described, method === 'listPage') : [];
    return [...ofRow, ...faultsOfParams(checker, params, described)];
  } catch (error) {
    return [(error as Error).message];
  }
}

const shortened = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 300);

import ts from 'typescript';
import type { Column, Described, PgType } from './describe.ts';

/** Whether types of TypeScript are what `pg` makes of those of PostgreSQL, and the other way round. */

const NUMBERS = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'oid']);
const DATES = new Set(['timestamptz', 'timestamp', 'date']);
const JSONS = new Set(['json', 'jsonb']);

type Kind = 'number' | 'string' | 'boolean' | 'Date' | 'Buffer' | 'json' | 'array' | 'nothing';

const kindOf = ({ name, element }: PgType): Kind => {
  if (element) return 'array';
  if (NUMBERS.has(name)) return 'number';
  if (DATES.has(name)) return 'Date';
  if (JSONS.has(name)) return 'json';
  if (name === 'bool') return 'boolean';
  if (name === 'bytea') return 'Buffer';
  return name === 'void' ? 'nothing' : 'string';
};

const pgName = (type: PgType): string => (type.element ? `${pgName(type.element)}[]` : type.name);

/** What is wrong with what the columns are declared to be. */
export function faultsOfRow(
  checker: ts.TypeChecker,
  row: ts.Type,
  { columns }: Described,
  isPage: boolean,
): string[] {
  if (row.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return [];
  const byName = new Map(columns.map((column) => [column.name, column]));
  return checker.getPropertiesOfType(row).flatMap((property) => {
    const column = byName.get(property.name);
    if (!column)
      return property.flags & ts.SymbolFlags.Optional ? [] : [`the answer has no column ${property.name}`];
    const fault = faultOf(checker, checker.getTypeOfSymbol(property), isPage ? withoutOuter(column) : column);
    return fault ? [`${property.name} ${fault}`] : [];
  });
}

/** A list answers no row whose key is null, as one is where the page is empty. */
const withoutOuter = (column: Column): Column => ({ ...column, outer: false });

const NULLISH = ts.TypeFlags.Null | ts.TypeFlags.Undefined;
const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

function faultOf(
  checker: ts.TypeChecker,
  declared: ts.Type,
  { type, nullable, outer }: Column,
): string | undefined {
  if (declared.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return undefined;
  const parts = partsOf(declared);
  if ((nullable || outer) && !parts.some((one) => one.flags & ts.TypeFlags.Null))
    return `can be null, and is declared ${checker.typeToString(declared)}`;
  const values = parts.filter((one) => !(one.flags & NULLISH));
  return values.some((one) => isOf(checker, one, type))
    ? undefined
    : `is ${pgName(type)}, and is declared ${checker.typeToString(declared)}`;
}

function isOf(checker: ts.TypeChecker, declared: ts.Type, type: PgType): boolean {
  if (declared.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true;
  if (declared.flags & ts.TypeFlags.TypeParameter) {
    const bound = checker.getBaseConstraintOfType(declared);
    return !bound || bound === declared || everyPart(checker, bound, type);
  }
  if (declared.isIntersection()) return declared.types.some((one) => isOf(checker, one, type));
  const kind = kindOf(type);
  switch (kind) {
    case 'json':
      return !['Date', 'Buffer'].includes(declared.symbol?.name ?? '');
    case 'string':
      return (declared.flags & ts.TypeFlags.StringLike) !== 0;
    case 'number':
      return (declared.flags & ts.TypeFlags.NumberLike) !== 0;
    case 'boolean':
      return (declared.flags & ts.TypeFlags.BooleanLike) !== 0;
    case 'array': {
      const element = checker.getIndexTypeOfType(declared, ts.IndexKind.Number);
      return (
        element !== undefined &&
        !(declared.flags & ts.TypeFlags.StringLike) &&
        !!type.element &&
        everyPart(checker, checker.getNonNullableType(element), type.element)
      );
    }
    case 'nothing':
      return true;
    default:
      return declared.symbol?.name === kind || (kind === 'Buffer' && declared.symbol?.name === 'Uint8Array');
  }
}

const everyPart = (checker: ts.TypeChecker, declared: ts.Type, type: PgType): boolean =>
  partsOf(declared).every((one) => isOf(checker, one, type));

/** What is wrong with the values that are given for parameters. */
export function faultsOfParams(
  checker: ts.TypeChecker,
  given: readonly ts.Type[],
  { params }: Described,
): string[] {
  if (given.length > 0 && given.length !== params.length)
    return [`takes ${params.length} values, and is given ${given.length}`];
  return given.flatMap((type, at) => {
    const expected = params[at];
    if (
      !expected ||
      (type.isUnion() &&
        kindOf(expected) !== 'json' &&
        partsOf(type).some((one) => isGiven(checker, one, expected) && !(one.flags & NULLISH)))
    )
      return [];
    const wrong = partsOf(type).find((one) => !isGiven(checker, one, expected));
    return wrong ? [`$${at + 1} is ${pgName(expected)}, and is given ${checker.typeToString(type)}`] : [];
  });
}

function isGiven(checker: ts.TypeChecker, given: ts.Type, expected: PgType): boolean {
  if (
    given.flags &
    (ts.TypeFlags.Any |
      ts.TypeFlags.Unknown |
      ts.TypeFlags.TypeParameter |
      ts.TypeFlags.IndexedAccess |
      NULLISH)
  )
    return true;
  const name = given.symbol?.name ?? '';
  switch (kindOf(expected)) {
    // JSON is given as text.
    case 'json':
      return (given.flags & ts.TypeFlags.StringLike) !== 0;
    case 'Date':
      return name === 'Date' || (given.flags & ts.TypeFlags.StringLike) !== 0;
    case 'number':
      return (given.flags & (ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike)) !== 0;
    case 'string':
      return (
        (given.flags & ts.TypeFlags.StringLike) !== 0 ||
        (expected.name === 'text' && (given.flags & ts.TypeFlags.NumberLike) !== 0)
      );
    case 'array': {
      const element = checker.getIndexTypeOfType(given, ts.IndexKind.Number);
      const { element: type } = expected;
      return !!element && !!type && partsOf(element).some((one) => isGiven(checker, one, type));
    }
    default:
      return isOf(checker, given, expected);
  }
}

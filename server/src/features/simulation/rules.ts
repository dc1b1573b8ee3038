import { type Static, Type } from '@sinclair/typebox';
import { Invalid } from '../../kernel/errors.ts';
import { seededFraction } from '../../kernel/random.ts';

/** Which of the attempts that a fault sees it strikes, and how. */
export const FaultRule = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Only what has this name. Default: every name.',
      }),
    ),
    rate: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'Strikes this share of the names, 0 to 1. Which ones follows from the seed, the kind and the name alone.',
      }),
    ),
    first: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Strikes the first so many attempts of each name.',
      }),
    ),
    every: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Strikes every n-th attempt, over all names: 3 is the third, the sixth and so on.',
      }),
    ),
    next: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Strikes the next so many attempts, over all names.',
      }),
    ),
    delay_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 86_400,
        description: 'What is struck takes so many seconds longer, whatever the time scale is. Default: 0.',
      }),
    ),
    fail: Type.Optional(
      Type.Boolean({
        description: 'Whether what is struck fails. Default: true, and false with delay_seconds.',
      }),
    ),
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'The error of the task that fails. Default: which kind of which name failed.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type FaultRule = Static<typeof FaultRule>;

const WHICH = ['rate', 'first', 'every', 'next'] as const;

/** @throws Invalid for a rule that contradicts itself */
export function checkRule(rule: FaultRule): void {
  const given = WHICH.filter((name) => rule[name] !== undefined);
  const [, second] = given;
  if (second) throw new Invalid({ [second]: [`cannot be given together with ${given[0]}; choose one`] });
  const fails = rule.fail ?? rule.delay_seconds === undefined;
  if (!fails && rule.delay_seconds === undefined) {
    throw new Invalid({ fail: ['must not be false without delay_seconds: nothing would happen'] });
  }
}

/** Whether the rule has to count attempts. */
export const counts = ({ first, every, next }: FaultRule) => (first ?? every ?? next) !== undefined;

/** @param attempt counts from one: of the name for `first`, else of all names */
export function strikes(
  rule: FaultRule,
  attempt: number,
  where: { seed: string; kind: string; name: string },
): boolean {
  if (rule.first !== undefined) return attempt <= rule.first;
  if (rule.every !== undefined) return attempt % rule.every === 0;
  if (rule.next !== undefined) return attempt <= rule.next;
  return rule.rate === undefined || seededFraction(where.seed, 'fault', where.kind, where.name) < rule.rate;
}

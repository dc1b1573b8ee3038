import type { Faults } from '../../kernel/faults.ts';
import { parseRange } from '../../kernel/ip.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { checkTagChanges, givenTags } from '../../platform/http/tags.ts';
import { ETHERTYPES, MAX_RULES, type Rule, type RuleMatch } from './model.ts';
import type { CreateSecurityGroup, RuleInput, UpdateSecurityGroup } from './schema.ts';

/** What rules may say, and what groups have that were given none. */

const WITH_PORTS: readonly (string | null)[] = ['dccp', 'sctp', 'tcp', 'udp', 'udplite'];
const ICMP: readonly (string | null)[] = ['icmp', 'ipv6-icmp'];
const MAX_ICMP = 255;

export type NewRule = RuleMatch & { readonly description: string };

export function ruleOf(input: RuleInput): NewRule {
  return {
    direction: input.direction,
    ethertype: input.ethertype ?? 'IPv4',
    protocol: input.protocol === 'any' ? null : (input.protocol ?? null),
    port_range_min: input.port_range_min ?? null,
    port_range_max: input.port_range_max ?? null,
    remote_group_id: input.remote_group_id?.toLowerCase() ?? null,
    remote_ip_prefix: input.remote_ip_prefix == null ? null : canonicalPrefix(input.remote_ip_prefix),
    description: input.description ?? '',
  };
}

/** What a rule lets through, and what is said about it. */
export function bareRule({ description, ...rule }: NewRule): NewRule {
  const { direction, ethertype, protocol, port_range_min, port_range_max } = rule;
  const { remote_group_id, remote_ip_prefix } = rule;
  return {
    direction,
    ethertype,
    protocol,
    port_range_min,
    port_range_max,
    remote_group_id,
    remote_ip_prefix,
    description,
  };
}

const plainRule = (rule: Pick<NewRule, 'direction' | 'ethertype'> & Partial<NewRule>): NewRule => ({
  protocol: null,
  port_range_min: null,
  port_range_max: null,
  remote_group_id: null,
  remote_ip_prefix: null,
  description: '',
  ...rule,
});

const everythingOut = () => ETHERTYPES.map((ethertype) => plainRule({ direction: 'egress', ethertype }));

/** The rules of a new group: those of its creation, and everything out unless these say themselves what goes out. */
export const rulesOfNew = (given: readonly NewRule[]): readonly NewRule[] =>
  given.some(({ direction }) => direction === 'egress') ? given : [...given, ...everythingOut()];

const SSH_PORT = 22;
const RDP_PORT = 3389;

/** The rules of a default group, and of one that is reverted: everything out; ICMP, SSH and RDP in. */
export const usualRules = (): readonly NewRule[] => [
  ...everythingOut(),
  plainRule({ direction: 'ingress', ethertype: 'IPv4', protocol: 'icmp' }),
  plainRule({ direction: 'ingress', ethertype: 'IPv6', protocol: 'ipv6-icmp' }),
  ...[SSH_PORT, RDP_PORT].flatMap((port) =>
    ETHERTYPES.map((ethertype) =>
      plainRule({
        direction: 'ingress',
        ethertype,
        protocol: 'tcp',
        port_range_min: port,
        port_range_max: port,
      }),
    ),
  ),
];

/** What messages call the rules of a body. */
export const ruleField = (index: number) => `rules.${index}.`;

/** The tags and rules of a new group, as far as they are given. Adds what is wrong with them. */
export function checkGroup(input: Partial<CreateSecurityGroup>, faults: Faults) {
  const tags = givenTags(input, faults);
  const rules = input.rules?.map(ruleOf);
  if (rules) checkRules(rules, ruleField, faults);
  return { tags, rules };
}

/** Adds what is wrong with the tags and rules of a change by themselves. */
export function checkGroupChanges(input: UpdateSecurityGroup, faults: Faults): void {
  checkTagChanges(input, faults);
  if (input.rules) checkRules(input.rules.map(ruleOf), ruleField, faults);
}

/** Adds what is wrong with a rule by itself. Whether ports and prefixes fit depends on other fields: where those are
 *  left out, be it since they are faulty, nothing is said of it. */
export function checkGivenRule(given: Partial<RuleInput>, faults: Faults): void {
  const { protocol, port_range_min: min, port_range_max: max, ethertype, remote_ip_prefix: prefix } = given;
  const hasPorts = protocol !== undefined && min != null && max != null;
  const known = {
    ...given,
    direction: 'ingress',
    // What IPv4 alone refuses is not said unless it is asked for.
    ethertype: ethertype ?? 'IPv6',
    port_range_min: hasPorts ? min : null,
    port_range_max: hasPorts ? max : null,
    remote_ip_prefix: ethertype === undefined ? null : (prefix ?? null),
  } as const;
  checkRules([ruleOf(known)], () => '', faults);
}

/** Adds what is wrong with the rules of a group; `field` names each. */
export function checkRules(
  rules: readonly NewRule[],
  field: (index: number) => string,
  faults: Faults,
): void {
  const seen = new Map<string, number>();
  for (const [index, rule] of rules.entries()) {
    for (const [name, fault] of Object.entries(faultsOf(rule))) {
      if (fault !== undefined) faults.add(`${field(index)}${name}`, fault);
    }
    const key = matchKey(rule);
    const twin = seen.get(key);
    if (twin !== undefined) faults.add(`${field(index)}direction`, `allows the same as rule ${twin}`);
    seen.set(key, index);
  }
}

function faultsOf(rule: NewRule): Partial<Record<keyof RuleMatch, string | undefined>> {
  const { ethertype, protocol, remote_group_id: group, remote_ip_prefix: prefix } = rule;
  const version = prefix === null ? undefined : parseRange(prefix)?.version;
  const wrongVersion = version !== undefined && `IPv${version}` !== ethertype;
  return {
    port_range_min: portFault(rule),
    protocol:
      ethertype === 'IPv4' && protocol?.startsWith('ipv6-') ? `${protocol} needs ethertype IPv6` : undefined,
    remote_group_id: group !== null && prefix !== null ? 'cannot be given with remote_ip_prefix' : undefined,
    remote_ip_prefix: wrongVersion ? `is not ${ethertype}, as ethertype says` : undefined,
  };
}

function portFault({ protocol, port_range_min: min, port_range_max: max }: RuleMatch): string | undefined {
  if (min === null && max === null) return undefined;
  if (ICMP.includes(protocol)) {
    if (min === null) return 'is required with port_range_max: it is the type, that one the code';
    return min > MAX_ICMP || (max ?? 0) > MAX_ICMP ? `of ${protocol} must be at most ${MAX_ICMP}` : undefined;
  }
  if (!WITH_PORTS.includes(protocol)) return `needs a protocol with ports, not ${protocol ?? 'any'}`;
  if (min === null || max === null) return 'and port_range_max must be given together';
  if (min < 1) return 'must be at least 1';
  return min > max ? 'must not be greater than port_range_max' : undefined;
}

const MATCH = [
  'direction',
  'ethertype',
  'protocol',
  'port_range_min',
  'port_range_max',
  'remote_group_id',
  'remote_ip_prefix',
] as const satisfies readonly (keyof RuleMatch)[];

/** The same for rules that let the same through. */
export const matchKey = (rule: RuleMatch): string => JSON.stringify(MATCH.map((name) => rule[name]));

/** The rules as requested: those that are there already stay what they are. */
export function mergeRules(ctx: RegionContext, had: readonly Rule[], requested: readonly NewRule[]): Rule[] {
  const known = new Map(had.map((rule) => [matchKey(rule), rule]));
  const now = ctx.clock.timestamp();
  return requested.map((rule) => {
    const same = known.get(matchKey(rule));
    if (same?.description === rule.description) return same;
    return { ...rule, id: same?.id ?? ctx.ids.uuid(), created_at: same?.created_at ?? now, updated_at: now };
  });
}

/** Adds a fault when there are more rules than a group may have. */
export function checkCount(count: number, faults: Faults): void {
  if (count > MAX_RULES) faults.add('rules', `must be at most ${MAX_RULES}`);
}

/** `10.0.0.7` is `10.0.0.7/32`. */
const canonicalPrefix = (text: string) => parseRange(text)?.text ?? text;

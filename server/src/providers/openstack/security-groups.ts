import type {
  AppliedGroup,
  DesiredSecurityGroup,
  GroupDrift,
  SecurityGroupProvider,
} from '../../features/security-groups/port.ts';
import { type Operation, type Progress, READY } from '../../kernel/operation.ts';
import { digestOf } from './digest.ts';
import { absent } from './faults.ts';
import type { OpenStackOptions } from './load-balancers.ts';
import { markOf } from './marks.ts';
import { NounLook } from './noun-look.ts';
import type { FoundNoun, Nouns } from './nouns.ts';
import { step } from './steps.ts';

type Rule = DesiredSecurityGroup['rules'][number];

interface FoundRule {
  readonly id: string;
  readonly description: string;
}

/** Security groups of Neutron. Rules cannot be changed there: one that is another one has another mark. */
export class SecurityGroups {
  readonly #options: OpenStackOptions;
  readonly #nouns: Nouns;

  constructor(options: OpenStackOptions, nouns: Nouns) {
    this.#options = options;
    this.#nouns = nouns;
  }

  /** The cloud's ids of groups. One that is not there yet is made without rules, so that it lets nothing through
   *  before the next look. */
  async engineIds(ids: readonly string[]): Promise<string[]> {
    const all: string[] = [];
    for (const id of ids) all.push((await this.ensure(id)).id);
    return all;
  }

  async ensure(id: string): Promise<FoundNoun> {
    const noun = { kind: 'security_group', id } as const;
    const found = await this.#nouns.find(noun);
    if (found) return found;
    const created = await this.#nouns.create(noun, {});
    const rules = (created.security_group_rules ?? []) as readonly FoundRule[];
    for (const rule of rules) await this.#drop(rule.id);
    await this.#options.objects.save('security_group', id, { engineId: created.id, facts: {} });
    return Object.assign({}, created, { security_group_rules: [] });
  }

  /** @returns what was not as desired */
  async make(desired: DesiredSecurityGroup): Promise<{ found: FoundNoun; changes: readonly string[] }> {
    const noun = { kind: 'security_group', id: desired.id } as const;
    const before = await this.#nouns.find(noun);
    const found = before ?? (await this.ensure(desired.id));
    const renamed = await this.#nouns.change(noun, found, {});
    const has = (found.security_group_rules ?? []) as readonly FoundRule[];
    const byMark = new Map(desired.rules.map((rule) => [markOfRule(rule), rule]));
    const there = new Map(has.map((rule) => [rule.description, rule]));
    // One of two with the same mark is surplus, too.
    const surplus = has.filter(
      (rule) => !byMark.has(rule.description) || there.get(rule.description) !== rule,
    );
    for (const { id } of surplus) await this.#drop(id);
    const missing = [...byMark].filter(([mark]) => !there.has(mark));
    const rules: object[] = [];
    for (const [mark, rule] of missing) rules.push(await this.#ruleOf(found.id, mark, rule));
    if (rules.length > 0)
      await this.#options.session.call('network', 'POST', '/security-group-rules', {
        security_group_rules: rules,
      });
    const isChanged = surplus.length + missing.length > 0 && before !== undefined;
    return {
      found,
      changes: [
        ...(before ? [] : ['security group: new']),
        ...renamed.map((field) => `security group: ${field}`),
        ...(isChanged ? ['security group: rules'] : []),
      ],
    };
  }

  async #drop(ruleId: string): Promise<void> {
    await absent(this.#options.session.call('network', 'DELETE', `/security-group-rules/${ruleId}`));
  }

  async #ruleOf(groupId: string, mark: string, rule: Rule): Promise<object> {
    const remote = rule.remote_group_id === null ? null : await this.ensure(rule.remote_group_id);
    return {
      security_group_id: groupId,
      description: mark,
      direction: rule.direction,
      ethertype: rule.ethertype,
      protocol: rule.protocol,
      port_range_min: rule.port_range_min,
      port_range_max: rule.port_range_max,
      remote_ip_prefix: rule.remote_ip_prefix,
      remote_group_id: remote?.id ?? null,
    };
  }
}

/** A rule that lets something else through has another one. */
function markOfRule({ id, ...rule }: Rule): string {
  const { direction, ethertype, protocol, port_range_min, port_range_max } = rule;
  const { remote_group_id, remote_ip_prefix } = rule;
  const match = [direction, ethertype, protocol, port_range_min, port_range_max];
  return `${markOf(id)}:${digestOf([...match, remote_group_id, remote_ip_prefix])}`;
}

const nounOf = ({ id, rules }: DesiredSecurityGroup) => ({ kind: 'security_group', id, rules }) as const;

/** The port of security groups. */
export class OpenStackSecurityGroups implements SecurityGroupProvider {
  readonly #options: OpenStackOptions;
  readonly #nouns: Nouns;
  readonly #groups: SecurityGroups;
  readonly #look: NounLook;

  constructor(options: OpenStackOptions, nouns: Nouns) {
    this.#options = options;
    this.#nouns = nouns;
    this.#groups = new SecurityGroups(options, nouns);
    this.#look = new NounLook(options, nouns, ['security_group']);
  }

  mayLook = async (): Promise<boolean> => !this.#look.hasJustFailed && (await this.#options.mayLook());

  /** Groups are made when something needs them: those that were not are none of the cloud's. */
  async look(
    groups: readonly DesiredSecurityGroup[],
    held: ReadonlySet<string>,
  ): Promise<readonly GroupDrift[]> {
    const known = await this.#options.objects.all('security_group');
    const made = groups.filter(({ id }) => known.has(id)).map(nounOf);
    const drifts = await this.#look.due(made, held);
    return drifts.map(({ id, why }) => ({ kind: 'security_group', id, why }));
  }

  async applySecurityGroup(desired: DesiredSecurityGroup, operation: Operation): Promise<AppliedGroup> {
    return step(operation, this.#options, async (): Promise<AppliedGroup> => {
      const { found, changes } = await this.#groups.make(desired);
      const noun = nounOf(desired);
      await this.#nouns.settled(noun, found, digestOf(noun));
      return { ready: true, changes };
    });
  }

  async removeSecurityGroup(id: string, operation: Operation): Promise<Progress> {
    return step(operation, this.#options, async () => {
      const noun = { kind: 'security_group', id } as const;
      const found = await this.#nouns.find(noun);
      if (found) await this.#nouns.delete('security_group', found.id);
      await this.#options.objects.forget(id);
      return READY;
    });
  }
}

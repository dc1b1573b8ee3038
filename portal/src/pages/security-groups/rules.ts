import type { Schemas } from '../../api/client.ts';
import { optionField, textField } from '../../ui/fields.ts';
import { optionsOf } from '../../ui/options.ts';
import { type Field, given, text, type Values } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';

export type Rule = Schemas['SecurityGroupRule'];
type NewRule = Schemas['CreateSecurityGroupRule'];

/** Rules that people want often, by name. */
const PRESETS: Readonly<Record<string, NewRule>> = {
  SSH: { direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
  HTTP: { direction: 'ingress', protocol: 'tcp', port_range_min: 80, port_range_max: 80 },
  HTTPS: { direction: 'ingress', protocol: 'tcp', port_range_min: 443, port_range_max: 443 },
  PostgreSQL: { direction: 'ingress', protocol: 'tcp', port_range_min: 5432, port_range_max: 5432 },
  Ping: { direction: 'ingress', protocol: 'icmp' },
};

const own = ({ preset }: Values) => preset === 'own';
const hasPorts = (values: Values) => own(values) && ['tcp', 'udp', 'sctp'].includes(text(values, 'protocol'));

/** What the form of a rule asks. */
export const ruleFields = (groups: Field['choices']): readonly Field[] => [
  optionField(
    'preset',
    'Traffic',
    [
      ...Object.entries(PRESETS).map(([name, rule]) => ({
        value: name,
        label: rule.port_range_min ? `${name} (${rule.protocol} ${rule.port_range_min})` : name,
      })),
      { value: 'own', label: 'Custom' },
    ],
    { initial: 'HTTP' },
  ),
  optionField('direction', 'Direction', optionsOf({ ingress: 'In', egress: 'Out' }), {
    initial: 'ingress',
    when: own,
  }),
  optionField(
    'protocol',
    'Protocol',
    ['any', 'tcp', 'udp', 'icmp', 'sctp', 'esp', 'gre', 'vrrp'].map((value) => ({
      value,
      label: value === 'any' ? 'Any' : value.toUpperCase(),
    })),
    { initial: 'tcp', when: own },
  ),
  {
    key: 'port_range_min',
    label: 'From port',
    kind: 'number',
    min: 1,
    max: 65_535,
    when: hasPorts,
  },
  {
    key: 'port_range_max',
    label: 'To port',
    about: 'Empty: that port alone',
    kind: 'number',
    min: 1,
    max: 65_535,
    when: hasPorts,
  },
  optionField(
    'peer',
    'Remote',
    optionsOf({
      all: 'Any address',
      range: 'A CIDR',
      group: 'Instances of a security group',
    }),
    { initial: 'all' },
  ),
  textField('remote_ip_prefix', 'CIDR', {
    placeholder: '203.0.113.0/24',
    when: ({ peer }) => peer === 'range',
  }),
  {
    key: 'remote_group_id',
    label: 'Security group',
    kind: 'choice',
    required: true,
    ...(groups ? { choices: groups } : {}),
    first: true,
    when: ({ peer }) => peer === 'group',
  },
  { key: 'description', label: 'Description', kind: 'text' },
];

/** The rule that the form says. */
export function ruleOf(values: Values): NewRule {
  const preset = PRESETS[text(values, 'preset')];
  const prefix = values.peer === 'range' ? text(values, 'remote_ip_prefix') : '';
  const from = hasPorts(values) ? number(values, 'port_range_min') : undefined;
  const rule = preset ?? {
    direction: text(values, 'direction') as NewRule['direction'],
    protocol: text(values, 'protocol') as 'tcp',
    ...given({
      port_range_min: from,
      port_range_max: hasPorts(values) ? (number(values, 'port_range_max') ?? from) : undefined,
    }),
  };
  return {
    ...rule,
    ethertype: prefix.includes(':') ? 'IPv6' : 'IPv4',
    ...given({
      remote_ip_prefix: prefix,
      remote_group_id: values.peer === 'group' ? text(values, 'remote_group_id') : '',
      description: text(values, 'description'),
    }),
  } as NewRule;
}

/** `TCP 80 to 90`; `anything`. */
export function whatPasses(rule: Pick<Rule, 'protocol' | 'port_range_min' | 'port_range_max'>): string {
  const protocol =
    rule.protocol === null || rule.protocol === 'any' ? 'Anything' : rule.protocol.toUpperCase();
  const { port_range_min: from, port_range_max: to } = rule;
  if (from === null) return protocol;
  return `${protocol} ${from === to || to === null ? from : `${from} to ${to}`}`;
}

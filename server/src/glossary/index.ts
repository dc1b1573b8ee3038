import { ACCOUNTS } from './accounts.ts';
import { BALANCING } from './balancing.ts';
import { COMMON } from './common.ts';
import { COMPUTE } from './compute.ts';
import { COSTS } from './costs.ts';

/** What a field or parameter means, where its schema does not say it: by its name, since a name means the same
 *  everywhere. */

const WORDS: Readonly<Record<string, string>> = {
  ...COMMON,
  ...ACCOUNTS,
  ...BALANCING,
  ...COMPUTE,
  ...COSTS,
};

/** What they mean where lists are asked for. */
const ASKED: Readonly<Record<string, string>> = {
  name: 'Only those of this name.',
  status: 'Only those in this state.',
  state: 'Only those in this state.',
  operating_status: 'Only those that are doing so.',
  provisioning_status: 'Only those in this state.',
  flavor_id: 'Only those of this flavor.',
  email: 'Only those with this address for mail.',
  limit: 'How many items a page has at most.',
};

/** Names of quotas: `vm_count_limit`, `volume_size_usage`. */
const QUOTA = /^(\w+?)_(limit|usage|requested)$/;
/** What is counted: `vm_count`, `volume_size`. */
const AMOUNT = /^(\w+?)_(?:count|size)$/;
const KINDS = { limit: 'May be at most', usage: 'Is now', requested: 'Is asked for' } as const;

/** @returns undefined where nobody has said what it means */
export function meaningOf(name: string, scope: 'field' | 'parameter'): string | undefined {
  if (scope === 'parameter' && ASKED[name] !== undefined) return ASKED[name];
  if (WORDS[name] !== undefined) return WORDS[name];
  const [, what = '', kind] = QUOTA.exec(name) ?? [];
  if (kind !== undefined) return `${KINDS[kind as keyof typeof KINDS]}: ${amountOf(what)}.`;
  if (AMOUNT.test(name) || /^\w+_storage$/.test(name)) return `${capital(amountOf(name))}.`;
  const [, things] = /^(\w+s)$/.exec(name) ?? [];
  return things && name.includes('_')
    ? `Ids of the ${things.replaceAll('_', ' ')} that were created.`
    : undefined;
}

function amountOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  if (name === 'ram' || name.endsWith('ram_size')) return `${words}, in MiB`;
  if (name.endsWith('_size') || name.endsWith('_storage')) return `${words}, in GiB`;
  return name.endsWith('millicore_count') ? `${words}, in thousandths of a processor` : words;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

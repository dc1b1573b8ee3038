import type { Faults } from '../../kernel/faults.ts';
import { GIVEN_TWICE } from '../../kernel/rules.ts';
import { givenTags, type StoredTags } from '../../platform/http/tags.ts';
import { type Flavor, findFlavor, noFlavor } from '../flavors/index.ts';
import { templateFault } from './names.ts';
import type { CreateInstance } from './schema-create.ts';

/** What schemas cannot say of a new instance. */
export interface NewInstancePlan {
  readonly flavor: Flavor | undefined;
  readonly tags: StoredTags;
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

type Input = Partial<CreateInstance>;

/** Adds every fault of the body that can be seen without looking anything up, as far as fields are given.
 *  @param offered ids of the flavors of the region; absent: all */
export function planInstance(
  input: Input,
  faults: Faults,
  offered?: readonly string[] | undefined,
): NewInstancePlan {
  const tags = givenTags(input, faults);
  checkName(input, faults);
  checkFirstBoot(input, faults);
  if (input.configuration) {
    faults.add('configuration', 'is for applications of a marketplace, which this region does not have');
  }
  checkFloatingIps(input, faults);
  const { flavor } = input;
  return { flavor: flavor === undefined ? undefined : knownFlavor(flavor, 'flavor', faults, offered), tags };
}

/** Adds a fault when there is no such flavor.
 *  @param offered ids of the flavors of the region; undefined: all */
export function knownFlavor(
  id: string,
  field: string,
  faults: Faults,
  offered: readonly string[] | undefined,
): Flavor | undefined {
  const flavor = offered?.includes(id) === false ? undefined : findFlavor(id);
  if (!flavor) faults.add(field, noFlavor(offered));
  return flavor;
}

function checkName({ name, name_template }: Input, faults: Faults): void {
  if (name !== undefined && name_template !== undefined) {
    faults.add('name_template', 'cannot be given beside name');
  }
  const fault = name_template === undefined ? undefined : templateFault(name_template);
  if (fault !== undefined) faults.add('name_template', fault);
}

function checkFirstBoot({ user_data, username, password }: Input, faults: Faults): void {
  if (username !== undefined && password === undefined) faults.add('password', 'is required with username');
  // Beside a password it is ignored.
  if (user_data === undefined || password !== undefined) return;
  if (!BASE64.test(user_data)) faults.add('user_data', 'must be base64');
}

/** No existing one twice, and none for an address that is public itself. */
function checkFloatingIps({ interfaces = [] }: Input, faults: Faults): void {
  const named = new Set<string>();
  for (const [index, { type, floating_ip: wish }] of interfaces.entries()) {
    const field = `interfaces.${index}.floating_ip`;
    if (wish && type === 'external') faults.add(field, 'is for addresses that are not external themselves');
    if (wish?.source !== 'existing') continue;
    const id = wish.existing_floating_id.toLowerCase();
    if (named.has(id)) faults.add(`${field}.existing_floating_id`, GIVEN_TWICE);
    named.add(id);
  }
}

import type { Faults } from '../../../kernel/faults.ts';
import type { ListenerProtocol } from '../port.ts';
import type { CompareType, RuleType } from './rule-schema.ts';
import type { UpdatePolicy } from './schema.ts';

/** What schemas cannot say of L7 policies and rules. */

/** Policies look into requests, which only these listeners do. */
export const HAS_POLICIES: ReadonlySet<ListenerProtocol> = new Set(['HTTP', 'TERMINATED_HTTPS']);

const LONGEST_TAG = 255;

/** What can be said of the body of a policy alone. A target is written into a `Location` header, where only visible
 *  ASCII characters can stand. */
export function checkPolicy(policy: Partial<UpdatePolicy>, faults: Faults): void {
  const { action, redirect_url: url, redirect_prefix: prefix } = policy as Targets;
  if (action === 'REDIRECT_TO_URL' && url !== undefined) checkUrl('redirect_url', url, faults);
  if (action === 'REDIRECT_PREFIX' && prefix !== undefined) checkUrl('redirect_prefix', prefix, faults);
  checkTags(policy.tags, faults);
}

/** What each action has may be missing: the schema says so. */
interface Targets {
  readonly action?: UpdatePolicy['action'];
  readonly redirect_url?: string;
  readonly redirect_prefix?: string;
}

function checkUrl(field: string, text: string, faults: Faults): void {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    faults.add(field, 'must be a URL that begins with http:// or https://');
  }
  if (!/^[!-~]*$/.test(text))
    faults.add(field, 'must have visible ASCII characters only; encode others with %');
}

export function checkTags(tags: readonly string[] | undefined, faults: Faults): void {
  tags?.forEach((tag, index) => {
    if (tag.trim() === '' || tag.length > LONGEST_TAG) {
      faults.add(`tags.${index}`, `must be 1 to ${LONGEST_TAG} characters`);
    }
  });
}

/** A rule as far as its parts must fit together. */
export interface RuleParts {
  readonly type: RuleType;
  readonly compare_type: CompareType;
  readonly key: string | null;
  readonly value: string;
}

/** Those that are known. A key that is not there is null, and absent where nobody knows. */
type KnownParts = { readonly [P in keyof RuleParts]?: RuleParts[P] | undefined };

const KEYED: ReadonlySet<RuleType> = new Set(['COOKIE', 'HEADER', 'SSL_DN_FIELD']);
const ABOUT_TLS: ReadonlySet<RuleType> = new Set(['SSL_CONN_HAS_CERT', 'SSL_DN_FIELD', 'SSL_VERIFY_RESULT']);
/** Types that know not every comparison. */
const COMPARISONS: Partial<Record<RuleType, readonly CompareType[]>> = {
  FILE_TYPE: ['EQUAL_TO', 'REGEX'],
  SSL_CONN_HAS_CERT: ['EQUAL_TO'],
  SSL_VERIFY_RESULT: ['EQUAL_TO'],
};
/** Names of headers and cookies (RFC 9110, token). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Fields of a distinguished name, such as CN, or their object identifiers. */
const DN_FIELD = /^([A-Za-z]+|\d+(\.\d+)+)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CONTROL = /[\u0000-\u001f\u007f]/;
/** OpenSSL's verify results. */
const VERIFY_RESULT = /^\d{1,3}$/;

export const needsKey = (type: RuleType): boolean => KEYED.has(type);

/** What can be said of the body of a rule alone. */
export function checkRuleBody(
  rule: KnownParts & { readonly tags?: readonly string[] | undefined },
  faults: Faults,
): void {
  checkRule(rule, undefined, faults);
  checkTags(rule.tags, faults);
}

/** Adds every fault of a rule, as far as it is known, on a listener of this protocol. */
export function checkRule(rule: KnownParts, protocol: ListenerProtocol | undefined, faults: Faults): void {
  checkType(rule, protocol, faults);
  checkValue(rule, faults);
}

function checkType(rule: KnownParts, protocol: ListenerProtocol | undefined, faults: Faults): void {
  const { type, compare_type: comparison } = rule;
  if (type === undefined) return;
  if (ABOUT_TLS.has(type) && protocol && protocol !== 'TERMINATED_HTTPS') {
    faults.add('type', `${type} is for listeners of protocol TERMINATED_HTTPS only`);
  }
  const known = COMPARISONS[type];
  if (known && comparison && !known.includes(comparison)) {
    faults.add('compare_type', `must be ${known.join(' or ')} for ${type}`);
  }
  if (rule.key !== undefined) checkKey(type, rule.key, faults);
}

function checkKey(type: RuleType, key: string | null, faults: Faults): void {
  if (!needsKey(type)) {
    if (key !== null) faults.add('key', `is for ${[...KEYED].join(', ')} only`);
    return;
  }
  if (key === null || key === '') {
    faults.add('key', `is required for ${type}`);
  } else if (type === 'SSL_DN_FIELD' ? !DN_FIELD.test(key) : !TOKEN.test(key)) {
    faults.add(
      'key',
      type === 'SSL_DN_FIELD' ? 'must be a field such as CN' : `must be the name of a ${type}`,
    );
  }
}

function checkValue({ type, value }: KnownParts, faults: Faults): void {
  if (value === undefined) return;
  if (CONTROL.test(value)) faults.add('value', 'must not have control characters');
  if (type === 'SSL_CONN_HAS_CERT' && value.toLowerCase() !== 'true') {
    faults.add('value', 'must be True; use invert for connections without a certificate');
  }
  if (type === 'SSL_VERIFY_RESULT' && !VERIFY_RESULT.test(value)) {
    faults.add('value', 'must be a verify result of OpenSSL, such as 0 or 20');
  }
}

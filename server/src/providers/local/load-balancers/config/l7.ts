import type {
  DesiredL7Policy,
  DesiredL7Rule,
  DesiredListener,
} from '../../../../features/load-balancers/port.ts';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { identifier, MATCH_LIMIT, quote, quoteFormat } from '../../host/quoting.ts';
import type { ConfigWriter } from './writer.ts';

const MATCH_METHODS = {
  CONTAINS: 'sub',
  ENDS_WITH: 'end',
  EQUAL_TO: 'str',
  REGEX: 'reg',
  STARTS_WITH: 'beg',
} as const;
const REDIRECT_CODES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\0-\x1f\x7f]/;
const DN_FIELD = /^[A-Za-z0-9.]+$/;
/** The letters after the last dot of the last path segment; empty where there is no dot. */
const FILE_EXTENSION = String.raw`regsub("^(?:.*\.([^./]+)|.*)$","\1")`;
/** A segment that is neither `.` nor `..` */
const NAME = String.raw`[^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+`;
/** The path as members take it: decoded, without doubled slashes, and without segments that are dots. HAProxy's own
 *  `normalize-uri` is experimental, and would change what members get. */
const NORMALIZED = [
  'path,url_dec',
  'regsub("//+","/","g")',
  String.raw`regsub("(/\.)+(/|$)","/","g")`,
  // Each pass takes the innermost `a/..` away.
  ...Array.from({ length: 4 }, () => String.raw`regsub("/(${NAME})/\.\.(/|$)","/","g")`),
  String.raw`regsub("^(/\.\.)+(/|$)","/")`,
].join(',');
const NORMALIZED_PATH = 'txn.l7_path';
/** Name of the policy that this request has met first. */
const CHOSEN = 'txn.l7_policy';
/** Name of the rule before which all rules of a long policy match. */
const SO_FAR = 'txn.l7_so_far';

/** Frontend lines for L7 policies, tried in their order: the first whose rules all match decides.
 *
 *  HAProxy itself would try every redirect before any choice of a pool, whatever their order, so the
 *  decision is written down in a variable first and carried out afterwards.
 *  @param backendOf the backend's name of a pool that a policy may choose */
export function writeL7Policies(
  writer: ConfigWriter,
  listener: DesiredListener,
  backendOf: (poolId: string) => string,
): void {
  const policies = listener.l7Policies.filter((policy) => policy.rules.length > 0);
  const path = listener.normalizePath ? `var(${NORMALIZED_PATH})` : 'path';
  if (listener.normalizePath && policies.some(({ rules }) => rules.some(readsPath))) writeNormalized(writer);
  for (const policy of policies) {
    for (const rule of policy.rules) writeRule(writer, rule, path);
    const conditions = writeConditions(writer, policy);
    const id = identifier(policy.id);
    writer.line(
      `http-request set-var(${CHOSEN}) str(${id}) if !{ var(${CHOSEN}) -m found } ${conditions.join(' ')}`,
      originOf(policy),
    );
  }
  // HAProxy wants the choice of a backend after everything else; the variable keeps the users' order.
  const last = policies.filter((policy) => policy.action === 'REDIRECT_TO_POOL');
  for (const policy of [...policies.filter((each) => !last.includes(each)), ...last]) {
    const chosen = `if { var(${CHOSEN}) -m str -- ${identifier(policy.id)} }`;
    writer.line(`${action(policy, backendOf)} ${chosen}`, originOf(policy));
  }
}

const readsPath = ({ type }: DesiredL7Rule): boolean => type === 'PATH' || type === 'FILE_TYPE';

/** A path that cannot be decoded, or that climbs more than anybody needs, would pass rules unseen: it is refused. */
function writeNormalized(writer: ConfigWriter): void {
  const origin = 'normalize_path';
  writer.line(`http-request set-var(${NORMALIZED_PATH}) ${quote(NORMALIZED)}`, origin);
  const isUnknown = `{ path -m found } !{ var(${NORMALIZED_PATH}) -m found }`;
  const climbs = `{ var(${NORMALIZED_PATH}) -m reg -- ${quote('/\\.\\.(/|$)')} }`;
  writer.line(`http-request deny deny_status 400 if ${isUnknown} or ${climbs}`, origin);
}

/** Rules in one line of HAProxy, which accepts 64 words at most. */
const RULES_IN_A_LINE = 40;

/** Where a policy has more rules, each line of them is a variable that the next one asks for.
 *  @returns the conditions of the last line */
function writeConditions(writer: ConfigWriter, policy: DesiredL7Policy): string[] {
  let conditions: string[] = [];
  for (const rule of policy.rules) {
    if (conditions.length >= RULES_IN_A_LINE) {
      writer.line(`http-request set-var(${SO_FAR}) str(${identifier(rule.id)}) if ${conditions.join(' ')}`);
      conditions = [`{ var(${SO_FAR}) -m str -- ${identifier(rule.id)} }`];
    }
    conditions.push(`${rule.invert ? '!' : ''}${ruleName(rule)}`);
  }
  return conditions;
}

function action(policy: DesiredL7Policy, backendOf: (poolId: string) => string): string {
  const origin = originOf(policy);
  switch (policy.action) {
    case 'REJECT':
      return 'http-request deny deny_status 403';
    case 'REDIRECT_TO_URL': {
      const url = quoteFormat(required(policy.redirectUrl, 'URL', origin));
      return `http-request redirect code ${redirectCode(policy)} location ${url}`;
    }
    case 'REDIRECT_PREFIX': {
      const prefix = quoteFormat(required(policy.redirectPrefix, 'prefix', origin));
      return `http-request redirect code ${redirectCode(policy)} prefix ${prefix}`;
    }
    case 'REDIRECT_TO_POOL':
      return `use_backend ${backendOf(required(policy.redirectPoolId, 'pool', origin))}`;
  }
}

const originOf = (policy: DesiredL7Policy): string => `The L7 policy ${policy.id}`;

function redirectCode(policy: DesiredL7Policy): number {
  const code = policy.redirectHttpCode ?? 302;
  if (REDIRECT_CODES.has(code)) return code;
  throw new TaskFailed(`The L7 policy ${policy.id}: a redirect with code ${code} does not exist`);
}

function required(value: string | null, what: string, origin: string): string {
  if (value === null || value === '') throw new TaskFailed(`${origin} has no ${what} to redirect to`);
  return value;
}

const ruleName = (rule: DesiredL7Rule): string => `rule-${identifier(rule.id)}`;

function writeRule(writer: ConfigWriter, rule: DesiredL7Rule, path: string): void {
  writer.line(`acl ${ruleName(rule)} ${ruleTest(rule, path)}`, `The L7 rule ${rule.id}`);
}

const bounded = (expression: string): string => `${MATCH_LIMIT}${expression}`;

/** @param path the sample that rules about the path compare */
function ruleTest(rule: DesiredL7Rule, path: string): string {
  const match = `-m ${MATCH_METHODS[rule.compareType]}`;
  const plain = rule.type === 'PATH' && path !== 'path' ? decoded(rule.value) : rule.value;
  const value = quote(rule.compareType === 'REGEX' ? bounded(rule.value) : plain);
  switch (rule.type) {
    case 'HOST_NAME':
      return `req.hdr(host),host_only -i ${match} -- ${value}`;
    case 'PATH':
      return `${path} ${match} -- ${value}`;
    case 'FILE_TYPE':
      return `${quote(`${path},${FILE_EXTENSION}`)} ${match} -- ${fileTypeValue(rule)}`;
    case 'HEADER':
      return `${keyed('req.hdr', rule, HEADER_NAME)} ${match} -- ${value}`;
    case 'COOKIE':
      return `${keyed('req.cook', rule, HEADER_NAME)} ${match} -- ${value}`;
    case 'SSL_CONN_HAS_CERT':
      return 'ssl_c_used';
    case 'SSL_VERIFY_RESULT':
      return `ssl_c_verify eq ${verifyResult(rule)}`;
    case 'SSL_DN_FIELD':
      return `${keyed('ssl_c_s_dn', rule, DN_FIELD)} ${match} -- ${value}`;
  }
}

/** A value that is written as in a URL, such as `/a%20b`, is compared as its path is. */
function decoded(value: string): string {
  try {
    const text = decodeURIComponent(value);
    return CONTROL.test(text) ? value : text;
  } catch {
    return value;
  }
}

/** People write both `jpg` and `.jpg`; a regular expression is left as it is. */
function fileTypeValue(rule: DesiredL7Rule): string {
  return quote(rule.compareType === 'REGEX' ? bounded(rule.value) : rule.value.replace(/^\./, ''));
}

function verifyResult(rule: DesiredL7Rule): number {
  if (/^\d{1,5}$/.test(rule.value)) return Number(rule.value);
  throw new TaskFailed(`The L7 rule ${rule.id}: a verify result is a number, as OpenSSL counts them`);
}

function keyed(sample: string, rule: DesiredL7Rule, allowed: RegExp): string {
  const key = rule.key ?? '';
  if (!allowed.test(key)) {
    throw new TaskFailed(`The L7 rule ${rule.id}: ${JSON.stringify(key)} cannot be its key`);
  }
  // Two grammars: HAProxy's sample arguments inside, the configuration's words outside.
  return quote(`${sample}('${key.replaceAll("'", `'"'"'`)}')`);
}

import type { TSchema } from '@sinclair/typebox';
import { RECENT_MINUTES } from '../auth/recent.ts';
import { allows, ROLES } from '../auth/roles.ts';
import type { Route } from '../http/route.ts';

/** What an operation does, what it answers and who may call it, in sentences: the first is the route's own, the
 *  others follow from what it declares. */
export function describe(spec: Route['spec']): string {
  const parts = [sentence(spec.summary), spec.description, answer(spec), caller(spec), recent(spec)];
  return parts.filter(Boolean).join(' ');
}

const recent = ({ recentSignIn }: Route['spec']) =>
  recentSignIn
    ? `A person must have given the password in the last ${RECENT_MINUTES} minutes: at the sign-in, or at \`POST /virga/v1/session/confirm\`.`
    : '';

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

function answer({ status, response, produces, query }: Route['spec']): string {
  const code = status && status !== 200 ? ` (${status})` : '';
  if (response === undefined) return produces ? `Answers ${produces}.` : `Answers nothing${code}.`;
  if (response.$id === 'TaskIds') {
    return 'Answers the id of the task that does it, at once: ask for that task until it is FINISHED or ERROR.';
  }
  if (isList(response)) {
    const page = query?.properties?.limit ? ', of which there are at most `limit`' : '';
    return `Answers \`count\`, the number of all that match, and \`results\`${page}.`;
  }
  const name = named(response);
  if (name === undefined) return `Answers what the schema of the answer says${code}.`;
  return `Answers ${name}${code}.`;
}

const isList = ({ properties = {} }: TSchema) => 'count' in properties && 'results' in properties;

/** "a load balancer", of `LoadBalancer`. */
function named({ $id }: TSchema): string | undefined {
  if ($id === undefined) return undefined;
  const words = $id.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(' ');
  const text = words
    .map((word) => (/^([A-Z]+\d*|Ip)$/.test(word) ? word.toUpperCase() : word.toLowerCase()))
    .join(' ');
  return `${/^[aeiou]/.test(text) ? 'an' : 'a'} ${text}`;
}

function caller({ access, deprecated }: Route['spec']): string {
  const older = deprecated ? ' For older clients.' : '';
  if (typeof access === 'object') return `Needs no token: ${access.public}.${older}`;
  if (access === 'operate') return `Needs the operator token.${older}`;
  if (access === 'report') return `Needs the operator token, or that of an edge.${older}`;
  const able = ROLES.filter((role) => allows(role, access));
  if (able.length === ROLES.length) return older.trim();
  return `Needs the role ${able.join(' or ')}.${older}`;
}

/** `Chrome on Linux`, as far as a browser says. */
export function browserOf(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari|curl|python)/i.exec(agent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser ?? ''] ?? browser ?? 'A program';
  return system ? `${name} on ${system.replace(' OS X', '')}` : name;
}

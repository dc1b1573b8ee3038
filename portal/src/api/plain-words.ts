/** Names of fields of the API as people say them, so that what the API says reads like the forms. */
const FIELDS: Readonly<Record<string, string>> = {
  boot_index: 'boot order',
  bucket_name: 'bucket',
  ca_secret_id: 'certificate authority',
  client_id: 'account',
  delay_seconds: 'delay',
  delete_floatings: 'delete floating IPs',
  external_gateway_info: 'external gateway',
  fixed_ip_address: 'fixed IP',
  fixed_subnet: 'subnet',
  gateway_ip: 'gateway',
  generate_sftp_password: 'generate a password',
  has_ddos: 'DDoS protection',
  http_version: 'HTTP version',
  instance_id_to_attach_to: 'instance',
  is_ipv6: 'IPv6',
  is_vip: 'virtual IP',
  issuer_url: 'issuer',
  listener_id: 'listener',
  load_balancer_id: 'load balancer',
  max_node_count: 'maximum nodes',
  min_node_count: 'minimum nodes',
  password_mode: 'password',
  port_id: 'port',
  ports_security_group_names: 'security groups of ports',
  project_id: 'project',
  secret_id: 'certificate',
  time_from: 'beginning',
  vip_network_id: 'network',
  vip_subnet_id: 'subnet',
};

/** Calls that the API says to make, as the pages that make them. */
const PAGES: readonly (readonly [call: RegExp, page: string])[] = [
  [/with POST \/cloud\/v2\/limits_request/g, 'on the page Quotas'],
  [/with PUT \/cloud\/v1\/dbaas\/status\/\S+ and \{"is_initialized": true\}/g, 'on the page PostgreSQL'],
];

/** A whole word that is no part of a path, a placeholder or a quotation. */
const NAME = /(?<![\w/.{`"=-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/}`"=])/g;

/** What the API says, with its fields as people say them, and pages for calls. Names that are no field stay as they are. */
export function plainly(text: string): string {
  const withPages = PAGES.reduce((said, [call, page]) => said.replace(call, page), text);
  return withPages.replace(NAME, (name) => FIELDS[name] ?? name);
}

/** A field as people say it: `logging.enabled` is `logging, enabled`, `members.0.weight` is `members 1, weight`. */
export function fieldName(field: string): string {
  const parts: string[] = [];
  for (const part of field.split(/[.[\]]+/).filter(Boolean)) {
    const last = parts.length - 1;
    if (/^\d+$/.test(part) && last >= 0) parts[last] = `${parts[last]} ${Number(part) + 1}`;
    else parts.push(FIELDS[part] ?? part.replaceAll('_', ' '));
  }
  return parts.join(', ');
}

/** A sentence in which the API names fields before what is wrong with them, with their names as people say them. */
export const withFieldNames = (text: string, fields: readonly string[]): string =>
  text.replace(/(?<=^|[\s;,])([\w.[\]-]+): /g, (whole, field: string) =>
    fields.includes(field) ? `${fieldName(field)}: ` : whole,
  );

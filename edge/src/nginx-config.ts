import { signedText, TOKEN_LENGTH } from '../../signing/src/signature.ts';
import { PARTS } from './delivery-url.ts';
import { CACHE_CONTROL, MEDIA_TYPES, OTHER_TYPE, PLAYLIST_PATTERN } from './media-types.ts';
import { REASONS } from './origin.ts';
import { CORS, METHODS, REQUEST_HEADERS } from './server.ts';
import type { VideoSettings } from './settings.ts';

export interface NginxOptions {
  /** Where the servers for older secrets put their sockets; nginx must be able to write there. */
  readonly runDir: string;
}

/** An nginx configuration, for inside of `http {}`, that delivers like the built-in edge. nginx checks one hash
 *  a request, so each older secret has a server of its own on a Unix socket, to which requests whose hash is not
 *  of the newer one are handed on.
 *  @throws RangeError for a folder that cannot be written into a configuration, and for a bucket */
export function nginxConfig(settings: VideoSettings, { runDir }: NginxOptions): string {
  const { secrets, edge } = settings;
  if ('bucket' in edge.origin)
    throw new RangeError(
      'nginx cannot sign requests for a bucket. Run the built-in edge, or set VIRGA_EDGE_ORIGIN to a folder or a URL.',
    );
  const socket = (index: number) => `unix:${runDir.replace(/\/$/, '')}/virga-edge-secret-${index + 1}.sock`;
  const lines = [
    '# Printed by `virga edge nginx-config`. It holds secrets: keep it unreadable for others (mode 0600).',
    '# Include it inside of http {}, for example as /etc/nginx/conf.d/virga-edge.conf.',
    ...shared(settings),
    ...secrets.flatMap((_, index) => {
      const first = index === 0;
      const listen = first ? `${bracketed(edge.host)}:${edge.port}` : socket(index);
      const next = index + 1 < secrets.length ? socket(index + 1) : undefined;
      return server(settings, { index, listen: quoted(listen), next });
    }),
  ];
  return `${lines.join('\n')}\n`;
}

interface ServerPart {
  readonly index: number;
  readonly listen: string;
  /** Socket of the server for the next older secret. */
  readonly next: string | undefined;
}

/** What all of the servers use. Secrets stand in `geo`, where a `$` means nothing. */
function shared({ secrets, cdnIpUrl }: VideoSettings): string[] {
  const host = new URL(cdnIpUrl).hostname;
  return [
    ...secrets.flatMap((secret, i) => [
      `geo $virga_secret_${i + 1} {`,
      `    default ${quotedLiteral(secret)};`,
      '}',
    ]),
    '# Tokens are bound to the viewer on one host name, and valid from everywhere on all others.',
    'map $host $virga_viewer {',
    '    default "";',
    `    ${quoted(host)} $remote_addr;`,
    '}',
    'map "$status $uri" $virga_cache_control {',
    `    default "${CACHE_CONTROL.error}";`,
    `    "~*^(200|206|304) .*${PLAYLIST_PATTERN}$" "${CACHE_CONTROL.playlist}";`,
    `    "~^(200|206|304) " "${CACHE_CONTROL.segment}";`,
    '}',
    'map $request_method $virga_methods {',
    '    default "";',
    `    OPTIONS "${METHODS}";`,
    '}',
    'map $request_method $virga_headers {',
    '    default "";',
    `    OPTIONS "${REQUEST_HEADERS}";`,
    '}',
  ];
}

function server(settings: VideoSettings, part: ServerPart): string[] {
  const outer = part.index === 0;
  const body = [
    `listen ${part.listen};`,
    'server_name _;',
    'server_tokens off;',
    ...(outer ? [...trusted(settings), ...headers()] : []),
    'if ($request_method = OPTIONS) { return 204; }',
    'if ($request_method !~ "^(GET|HEAD)$") { return 405; }',
    ...types(),
    `${REFUSED};`,
    ...refusal(),
    ...signedLocations(settings, part),
    `location ~ "^/(?:${PARTS.kind})/" { return 403; }`,
    'location / { return 404; }',
    ...(part.next ? olderSecret(part) : []),
  ];
  return ['server {', ...body.map((line) => `    ${line}`), '}'];
}

function trusted({ edge }: VideoSettings): string[] {
  const ranges = edge.trustedProxies.texts;
  if (ranges.length === 0) return [];
  const believed = ranges.map((range) => `set_real_ip_from ${range};`);
  return [...believed, 'real_ip_header X-Forwarded-For;', 'real_ip_recursive on;'];
}

function headers(): string[] {
  return [
    'add_header Cache-Control $virga_cache_control always;',
    `add_header Access-Control-Allow-Origin "${CORS['access-control-allow-origin']}" always;`,
    `add_header Access-Control-Expose-Headers "${CORS['access-control-expose-headers']}" always;`,
    'add_header Access-Control-Allow-Methods $virga_methods always;',
    'add_header Access-Control-Allow-Headers $virga_headers always;',
    'add_header X-Content-Type-Options "nosniff" always;',
  ];
}

function types(): string[] {
  const entries = Object.entries(MEDIA_TYPES).map(([extension, type]) => `    ${type} ${extension};`);
  return ['types {', ...entries, '}', `default_type ${OTHER_TYPE};`];
}

const REFUSED = 'error_page 403 @virga_refused';

/** Says why, as the built-in edge does, whatever the file would have been. */
function refusal(): string[] {
  const text = quotedLiteral(REASONS[403]?.trim() ?? '').replace(/"$/, '\\n"');
  return [
    'location @virga_refused {',
    '    types { }',
    '    default_type "text/plain; charset=utf-8";',
    `    return 403 ${text};`,
    '}',
  ];
}

/** The token in the path, and in the query of a single file, which the origin does not see then. */
function signedLocations(settings: VideoSettings, part: ServerPart): string[] {
  const { accountId } = settings;
  const video = [`(?<virga_kind>${PARTS.kind})`, `${accountId}_(?<virga_video>${PARTS.video})`];
  const file = `(?<virga_file>${PARTS.file})`;
  const inPath = [`(?<virga_token>${PARTS.token})`, `(?<virga_expires>${PARTS.expires})`];
  const form = [...video, ...inPath, file].join('/');
  return [
    `# Tokens have ${TOKEN_LENGTH} characters; a wrong one is 403, one that has expired 410.`,
    ...signedLocation(settings, part, { form, token: 'virga_token', expires: 'virga_expires' }),
    ...signedLocation(
      settings,
      part,
      { form: [...video, file].join('/'), token: 'arg_md5', expires: 'arg_expires' },
      'set $args "";',
    ),
  ];
}

/** @param form of the path; the other two are names of variables */
function signedLocation(
  settings: VideoSettings,
  { index, next }: ServerPart,
  { form, token, expires }: { form: string; token: string; expires: string },
  ...allowed: readonly string[]
): string[] {
  // Servers for older secrets learn the viewer from the first one.
  const viewer = index === 0 ? 'virga_viewer' : 'http_x_virga_viewer';
  const text = signedText({
    accountId: settings.accountId,
    video: variable('virga_video'),
    secret: variable(`virga_secret_${index + 1}`),
    expires: variable(expires),
    ip: variable(viewer),
  });
  return [
    `location ~ "^/${form}$" {`,
    ...[
      // A location with such a line has none of the server's.
      ...(next ? [`${REFUSED};`, 'error_page 418 = @virga_older_secret;'] : []),
      `secure_link $${token},$${expires};`,
      `secure_link_md5 "${text}";`,
      `if ($secure_link = "") { return ${next ? 418 : 403}; }`,
      'if ($secure_link = "0") { return 410; }',
      ...allowed,
      ...files(settings),
    ].map((line) => `    ${line}`),
    '}',
  ];
}

function files({ accountId, edge: { origin } }: VideoSettings): string[] {
  const file = `/$virga_kind/${accountId}_$virga_video/$virga_file`;
  if ('folder' in origin) {
    return [
      `root ${quoted(origin.folder)};`,
      'sendfile on;',
      'tcp_nopush on;',
      'open_file_cache max=10000 inactive=60s;',
      'open_file_cache_valid 1s;',
      'open_file_cache_errors off;',
      `try_files ${file} =404;`,
    ];
  }
  if (!('url' in origin)) return [];
  const { origin: host, pathname } = new URL(origin.url);
  const prefix = pathname.replace(/\/$/, '');
  return [
    `rewrite ^ ${quoted(`${prefix}${file}`, true)} break;`,
    `proxy_pass ${quoted(host)};`,
    'proxy_http_version 1.1;',
    'proxy_set_header Connection "";',
    'proxy_set_header Accept-Encoding "";',
    'proxy_hide_header Cache-Control;',
    'proxy_hide_header Access-Control-Allow-Origin;',
    'proxy_hide_header Access-Control-Expose-Headers;',
    'proxy_hide_header X-Content-Type-Options;',
    'proxy_read_timeout 10s;',
  ];
}

function olderSecret({ index, next = '' }: ServerPart): string[] {
  const viewer = index === 0 ? '$virga_viewer' : '$http_x_virga_viewer';
  return [
    'location @virga_older_secret {',
    `    proxy_pass ${quoted(`http://${next}:`)};`,
    '    proxy_http_version 1.1;',
    '    proxy_set_header Connection "";',
    `    proxy_set_header X-Virga-Viewer ${viewer};`,
    '    proxy_max_temp_file_size 0;',
    '}',
  ];
}

/** In braces: names of variables would go on over an underscore. */
const variable = (name: string) => `\${${name}}`;

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

const quotedLiteral = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** @throws RangeError where nginx would read a variable or the end of a line */
function quoted(text: string, withVariables = false): string {
  if (/[\n\r]/.test(text) || (!withVariables && text.includes('$'))) {
    throw new RangeError(`${text} cannot be written into an nginx configuration`);
  }
  return quotedLiteral(text);
}

/** One line of HAProxy's `show stat`, reduced to what is used here. */
export interface StatLine {
  readonly proxy: string;
  /** `FRONTEND`, `BACKEND` or the server's name. */
  readonly service: string;
  readonly currentSessions: number;
  readonly totalSessions: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly requestErrors: number;
  /** By the class of their status code; nothing of what does not speak HTTP. */
  readonly responses: Readonly<Record<'2xx' | '3xx' | '4xx' | '5xx' | 'other', number>>;
  /** The average of a server's last responses. */
  readonly responseMs: number;
  /** `UP`, `UP 1/2`, `DOWN`, `no check`, `MAINT`, `DRAIN`, … */
  readonly status: string;
  /** Seconds since a server last went up or down; NaN of anything else. */
  readonly changedAgo: number;
  /** What the newest check of a server said, or null: nothing checks it, or nothing has yet. */
  readonly check: string | null;
}

/** Frontends and servers, without the backends' sums. */
export const SHOW_STAT = 'show stat -1 5 -1';

const COUNTED = ['pxname', 'svname', 'scur', 'stot', 'bin', 'bout', 'ereq', 'status'] as const;
const OF_RESPONSES = [
  'hrsp_1xx',
  'hrsp_2xx',
  'hrsp_3xx',
  'hrsp_4xx',
  'hrsp_5xx',
  'hrsp_other',
  'rtime',
] as const;
const OF_CHECKS = ['lastchg', 'check_status', 'check_code', 'last_chk', 'check_desc'] as const;
/** HAProxy adds columns from version to version; all of ours are among the first. */
const LEAST_COLUMNS = 66;
/** Checks that have not run yet. */
const NO_CHECK = new Set(['', 'INI', 'UNK']);

/** @throws Error when the text is not what `show stat` answers */
export function parseStat(text: string): StatLine[] {
  const [header = '', ...lines] = text.split('\n');
  const names = header.replace(/^# /, '').split(',');
  const at = new Map<string, number>(
    [...COUNTED, ...OF_RESPONSES, ...OF_CHECKS].map((name) => [name, names.indexOf(name)]),
  );
  if ([...at.values()].includes(-1)) {
    throw new Error(`unexpected answer to "show stat": ${header.slice(0, 100)}`);
  }
  return lines.flatMap((line) => {
    const fields = fieldsOf(line);
    if (fields.length < LEAST_COLUMNS) return [];
    const field = (name: string) => fields[at.get(name) ?? -1] ?? '';
    const number = (name: string) => Number(field(name));
    return [
      {
        proxy: field('pxname'),
        service: field('svname'),
        currentSessions: number('scur'),
        totalSessions: number('stot'),
        bytesIn: number('bin'),
        bytesOut: number('bout'),
        requestErrors: number('ereq'),
        responses: {
          '2xx': number('hrsp_2xx'),
          '3xx': number('hrsp_3xx'),
          '4xx': number('hrsp_4xx'),
          '5xx': number('hrsp_5xx'),
          other: number('hrsp_1xx') + number('hrsp_other'),
        },
        responseMs: number('rtime'),
        status: field('status'),
        changedAgo: field('lastchg') === '' ? Number.NaN : Number(field('lastchg')),
        check: checkWords(field('check_status'), field('check_code'), field('last_chk'), field('check_desc')),
      },
    ];
  });
}

/** `Layer7 wrong status 503: Service Unavailable` */
function checkWords(status: string, code: string, said: string, description: string): string | null {
  // A star: the next check is on its way.
  if (NO_CHECK.has(status.replace(/^\* /, '')) || description === '') return null;
  // 0: a process that has just taken over knows the kind alone.
  const kind = code === '' || code === '0' ? description : `${description} ${code}`;
  return said === '' ? kind : `${kind}: ${said}`;
}

/** The fields of a line of CSV. */
function fieldsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  const fields = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...fields].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

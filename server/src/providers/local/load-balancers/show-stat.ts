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
  /** `UP`, `UP 1/2`, `DOWN`, `no check`, `MAINT`, `DRAIN`, … */
  readonly status: string;
}

/** Frontends and servers, without the backends' sums. */
export const SHOW_STAT = 'show stat -1 5 -1';

/** HAProxy adds columns from version to version but never moves one; all of ours are among the first.
 *  Later columns may hold quoted commas, which is why the line is not cut any further. */
const COLUMNS = ['pxname', 'svname', 'scur', 'stot', 'bin', 'bout', 'ereq', 'status'] as const;
const USED_COLUMNS = 20;

/** @throws Error when the text is not what `show stat` answers */
export function parseStat(text: string): StatLine[] {
  const [header = '', ...lines] = text.split('\n');
  const names = header.replace(/^# /, '').split(',', USED_COLUMNS);
  const at = COLUMNS.map((name) => names.indexOf(name));
  if (at.includes(-1)) throw new Error(`unexpected answer to "show stat": ${header.slice(0, 100)}`);
  const [proxy = 0, service = 0, current = 0, total = 0, bytesIn = 0, bytesOut = 0, errors = 0, status = 0] =
    at;
  return lines.flatMap((line) => {
    const fields = line.split(',', USED_COLUMNS);
    if (fields.length < USED_COLUMNS) return [];
    return [
      {
        proxy: fields[proxy] ?? '',
        service: fields[service] ?? '',
        currentSessions: Number(fields[current]),
        totalSessions: Number(fields[total]),
        bytesIn: Number(fields[bytesIn]),
        bytesOut: Number(fields[bytesOut]),
        requestErrors: Number(fields[errors]),
        status: fields[status] ?? '',
      },
    ];
  });
}

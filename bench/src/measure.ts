import autocannon from 'autocannon';

/** One line of the result. */
export interface Figure {
  readonly what: string;
  readonly value: string;
  readonly goal: string;
  /** A promise that was broken, in words; the run ends as a failure. */
  readonly broken?: string | undefined;
}

/** How a comparison of two rates is shown. */
export const perSecond = ({ a, b, ratio }: { a: number; b: number; ratio: number }): string =>
  `${ratio.toFixed(2)} (${whole(a)} to ${whole(b)} /s)`;

const whole = (value: number) => Math.round(value).toLocaleString('en');

/** Requests per second of one URL, as autocannon counts them in `seconds`. */
export async function requestsPerSecond(
  url: string,
  options: { connections: number; seconds: number; headers?: Record<string, string> },
): Promise<number> {
  const result = await autocannon({
    url,
    connections: options.connections,
    duration: options.seconds,
    headers: options.headers ?? {},
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`);
  }
  return result.requests.average;
}

/** Runs two measurements in turn, A B A B …, and gives the median of each and of their ratios. */
export async function pairs(
  count: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<{ a: number; b: number; ratio: number }> {
  const seen: { a: number; b: number }[] = [];
  for (let i = 0; i < count; i++) seen.push({ a: await a(), b: await b() });
  return {
    a: median(seen.map((pair) => pair.a)),
    b: median(seen.map((pair) => pair.b)),
    ratio: median(seen.map((pair) => pair.a / pair.b)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? 0) + high) / 2;
}

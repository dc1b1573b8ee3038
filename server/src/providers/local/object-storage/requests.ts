import type { BucketTraffic, Traffic } from '../storages/traffic.ts';

const WRITES = new Set(['PUT', 'POST', 'DELETE', 'PATCH']);
const LINE = /^(\d+) (\d+) (\S+) (\S+) (.*)$/;

/** Adds up lines of the gateway's log, one for each request. */
export function trafficOf(text: string): Traffic {
  const found = new Map<string, BucketTraffic>();
  for (const line of text.split('\n')) {
    const [, bytesIn, bytesOut, , method = '', path = ''] = LINE.exec(line) ?? [];
    if (bytesIn === undefined || method === '<BADREQ>') continue;
    const bucket = bucketOf(path);
    const sum = found.get(bucket) ?? { requestsIn: 0, requestsOut: 0, trafficIn: 0, trafficOut: 0 };
    if (WRITES.has(method)) sum.requestsIn += 1;
    else sum.requestsOut += 1;
    sum.trafficIn += Number(bytesIn);
    sum.trafficOut += Number(bytesOut);
    found.set(bucket, sum);
  }
  return found;
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** The bucket that a path names; whether there is one is not known here. */
function bucketOf(path: string): string {
  const name = path.split('/')[1] ?? '';
  return BUCKET_NAME.test(name) ? name : '';
}

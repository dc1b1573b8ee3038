import { expect, test } from 'vitest';
import { parseStat } from './show-stat.ts';

const HEADER =
  '# pxname,svname,qcur,qmax,scur,smax,slim,stot,bin,bout,dreq,dresp,ereq,econ,eresp,wretr,wredis,status,weight,act,' +
  'bck,chkfail,chkdown,lastchg,downtime,qlimit,pid,iid,sid,throttle,lbtot,tracked,type,rate,rate_lim,rate_max,' +
  'check_status,check_code,check_duration,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,hanafail,req_rate,' +
  'req_rate_max,req_tot,cli_abrt,srv_abrt,comp_in,comp_out,comp_byp,comp_rsp,lastsess,last_chk,last_agt,qtime,ctime,' +
  'rtime,ttime,agent_status,agent_code,agent_duration,check_desc,agent_desc,';

/** A line of which only these columns say anything. */
function line(columns: Readonly<Record<string, string>>): string {
  const names = HEADER.slice(2).split(',');
  return names.map((name) => columns[name] ?? '').join(',');
}

const parse = (columns: Readonly<Record<string, string>>) =>
  parseStat(`${HEADER}\n${line({ pxname: 'pool', svname: 'member', ...columns })}\n`)[0];

test.each([
  [
    { check_status: 'L4CON', last_chk: 'Connection refused', check_desc: 'Layer4 connection problem' },
    'Layer4 connection problem: Connection refused',
  ],
  [
    {
      check_status: '* L7STS',
      check_code: '503',
      last_chk: 'Service Unavailable',
      check_desc: 'Layer7 wrong status',
    },
    'Layer7 wrong status 503: Service Unavailable',
  ],
  [{ check_status: 'L4TOUT', check_desc: 'Layer4 timeout' }, 'Layer4 timeout'],
  [
    {
      check_status: 'L7STS',
      check_code: '418',
      last_chk: '"I am a teapot, ""short"""',
      check_desc: 'Layer7 wrong status',
    },
    'Layer7 wrong status 418: I am a teapot, "short"',
  ],
  [{ check_status: 'INI', check_desc: 'Initializing' }, null],
  [{ check_status: 'L7STS', check_code: '0', check_desc: 'Layer7 wrong status' }, 'Layer7 wrong status'],
  [{}, null],
])('a check says %j in its own words', (columns, words) => {
  expect(parse(columns)).toMatchObject({ proxy: 'pool', service: 'member', check: words });
});

test('a line says how many seconds ago its server changed, and what it counts', () => {
  expect(parse({ lastchg: '12', status: 'DOWN', bin: '5' })).toMatchObject({
    changedAgo: 12,
    status: 'DOWN',
    bytesIn: 5,
  });
  expect(parse({})?.changedAgo).toBeNaN();
});

test('an answer that is none is refused', () => {
  expect(() => parseStat('Permission denied')).toThrow('unexpected answer to "show stat": Permission denied');
});

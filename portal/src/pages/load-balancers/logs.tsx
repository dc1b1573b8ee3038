import { Select, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, apiCall, every, faultOf, type Schemas } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { bytes } from '../../ui/bytes.ts';
import { CodePanel } from '../../ui/code-panel.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Card, Empty } from '../../ui/page.tsx';
import { useRouting } from '../../ui/routing.tsx';
import { readTime } from '../../ui/time.tsx';
import styles from './logs.module.css';

const LOG = '/virga/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/access_log';

type Line = Schemas['AccessLogLine'];

const LIMIT = 200;
const STATUSES = optionsOf({
  '2xx': '2xx: success',
  '3xx': '3xx: redirect',
  '4xx': '4xx: client error',
  '5xx': '5xx: server error',
});

interface LogSearch {
  readonly status?: string;
  readonly text?: string;
  readonly follow?: string;
}

interface LogsProps {
  readonly lb: Schemas['LoadBalancer'];
  readonly pools: readonly Schemas['Pool'][];
}

/** The last lines of the access log, followed while one looks; the filters are in the address. */
export function Logs({ lb, pools }: LogsProps) {
  const scope = useScope();
  const { useSearch, changeSearch } = useRouting();
  const search: LogSearch = useSearch();
  const isLive = search.follow !== 'no';
  const params = {
    path: { ...pathParams(scope), load_balancer_id: lb.id },
    query: {
      limit: LIMIT,
      ...(search.status ? { status: search.status } : {}),
      ...(search.text ? { text: search.text } : {}),
    },
  };
  const log = useQuery({ ...api.queryOptions('get', LOG, { params }), ...every(isLive ? 1_000 : false) });
  const change = (next: LogSearch) => void changeSearch((now) => ({ ...now, ...next }), { replace: true });
  return (
    <>
      <Card title="Access log" aside={<Live isLive={isLive} change={change} />}>
        <Filters search={search} change={change} />
        {log.error && !log.data ? (
          <FaultNote fault={faultOf(log.error)} retry={() => void log.refetch()} />
        ) : (
          log.data &&
          (log.data.unavailable && !lb.logging?.enabled ? (
            <Off lb={lb} why={log.data.unavailable} />
          ) : (
            <Lines log={log.data} search={search} isLive={isLive} pools={pools} />
          ))
        )}
      </Card>
      <CodePanel call={apiCall('get', LOG, { params })} />
    </>
  );
}

interface OffProps {
  readonly lb: Schemas['LoadBalancer'];
  /** As the API says it, which names the fields that switch it on. */
  readonly why: string;
}

/** A load balancer without a log, and the button that gives it one. */
function Off({ lb, why }: OffProps) {
  const scope = useScope();
  // Where nothing writes logs there is nothing to switch on.
  if (!why.includes('logging.enabled')) return <Empty title="No log" about={why} />;
  const call = apiCall('patch', '/cloud/v2/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', {
    params: { path: { ...pathParams(scope), load_balancer_id: lb.id } },
    body: { logging: { enabled: true } },
  });
  return (
    <Empty
      title="The access log is off"
      about="Switched on, it has a line for each request: when, what, how long, and which member answered."
      action={{
        label: 'Switch on the access log',
        run: () => void startTask(call, { title: `Access log of ${lb.name}` }),
        call,
      }}
    />
  );
}

function Live({ isLive, change }: { readonly isLive: boolean; readonly change: (next: LogSearch) => void }) {
  return (
    <Switch
      label="Follow"
      checked={isLive}
      onChange={(event) => change({ follow: event.currentTarget.checked ? undefined : 'no' } as LogSearch)}
    />
  );
}

interface FiltersProps {
  readonly search: LogSearch;
  readonly change: (next: LogSearch) => void;
}

function Filters({ search, change }: FiltersProps) {
  const [text, setText] = useState(search.text ?? '');
  const [settled] = useDebouncedValue(text, 250);
  const sent = useRef(search.text ?? '');
  useEffect(() => {
    if (sent.current === settled) return;
    sent.current = settled;
    change({ text: settled || undefined } as LogSearch);
  }, [settled, change]);
  return (
    <search className={styles.filters}>
      <Select
        aria-label="Status"
        placeholder="Status"
        data={STATUSES}
        value={search.status ?? null}
        onChange={(value) => change({ status: value ?? undefined } as LogSearch)}
        clearable
      />
      <TextInput
        aria-label="Text"
        placeholder="Text: a path, an address"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={200}
      />
    </search>
  );
}

interface LinesProps {
  readonly log: Schemas['LoadBalancerAccessLog'];
  readonly search: LogSearch;
  readonly isLive: boolean;
  readonly pools: readonly Schemas['Pool'][];
}

function Lines({ log, search, isLive, pools }: LinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const last = log.lines.at(-1)?.text;
  // Who has scrolled up is reading: the newest line does not move the page.
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line moves it
  useEffect(() => {
    if (isLive && isAtEnd.current && frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [last, isLive]);
  if (log.unavailable) return <Empty title="No log" about={log.unavailable} />;
  if (log.lines.length === 0) {
    const filtered = Boolean(search.status || search.text);
    return (
      <Empty
        title={filtered ? 'No matching lines' : 'No lines yet'}
        about={filtered ? 'Remove a filter to see more.' : 'The first request shows here within a second.'}
      />
    );
  }
  return (
    <div
      className={styles.frame}
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      <ol className={styles.lines} aria-label="Lines of the access log">
        {!log.is_all && <li className={styles.more}>Earlier lines are not shown</li>}
        {log.lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines can be the same
          <LogLine key={`${line.text} ${index}`} line={line} member={memberOf(pools, line)} />
        ))}
      </ol>
    </div>
  );
}

/** What answered, as people know it. */
function memberOf(pools: readonly Schemas['Pool'][], { pool_id: pool, member_id: member }: Line): string {
  const found = pools.find(({ id }) => id === pool);
  const one = found?.members.find(({ id }) => id === member);
  return one ? `${found?.name} · ${one.address}:${one.protocol_port}` : (found?.name ?? '');
}

const meaning = (status: number | null) =>
  status === null ? 'quiet' : status >= 500 ? 'failed' : status >= 400 ? 'degraded' : 'good';

function LogLine({ line, member }: { readonly line: Line; readonly member: string }) {
  if (line.at === null) return <li className={styles.line}>{line.text}</li>;
  return (
    <li className={styles.line} title={line.text}>
      <time dateTime={line.at}>{readTime(line.at).toLocaleTimeString()}</time>
      <b data-meaning={meaning(line.status)}>{line.status ?? 'TCP'}</b>
      <span className={styles.request}>{line.request ?? line.client}</span>
      <span>{line.milliseconds === null ? '' : `${line.milliseconds} ms`}</span>
      <span>{line.bytes === null ? '' : bytes(line.bytes)}</span>
      <span className={styles.member}>{member || 'no member'}</span>
    </li>
  );
}

import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, every, type Schemas } from '../../api/client.ts';
import { useScope } from '../../app/scope.ts';
import { UsageBar } from '../../pictures/usage-bar.tsx';
import { bytes } from '../../ui/bytes.ts';
import { FaultNote, unreadNote } from '../../ui/fault.tsx';
import styles from '../../ui/metrics.module.css';
import { percent } from '../../ui/metrics.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { Series } from '../../ui/series.tsx';
import { History } from './history.tsx';
import { type Cluster, clusterPath } from './queries.ts';

type Measured = Schemas['PostgresqlMetrics'];

interface Sample {
  readonly at: number;
  readonly measured: Measured;
}

/** Clusters are measured every ten seconds. */
const EVERY_MS = 5_000;
/** An hour of them. */
const KEPT = 720;
/** Databases can only be read from here on. */
const FULL = 0.95;

/** What was last measured, what was in the last 30 days, and each measurement since the page was opened. */
export function Metrics({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const query = useQuery({
    ...api.queryOptions(
      'get',
      '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}/metrics',
      { params: { path: clusterPath(scope, cluster.cluster_name) } },
    ),
    ...every(EVERY_MS),
  });
  const samples = useSamples(query.data, query.dataUpdatedAt);
  const unread = unreadNote(query);
  if (unread) return unread;
  if (!query.data) return <Skeleton height={320} />;
  const { connections, blocks, storage, transactions, fault } = query.data;
  const requested = blocks.hit + blocks.read;
  return (
    <>
      {fault && <FaultNote fault={{ message: fault, fields: {}, requestId: undefined }} />}
      <Card title="Now">
        <div style={{ display: 'grid', gap: 12, padding: '14px 16px 16px' }}>
          <UsageBar
            label="Storage"
            used={storage.used_bytes}
            at={storage.size_bytes * FULL}
            notified={false}
            words={`Storage: ${bytes(storage.used_bytes)} of ${bytes(storage.size_bytes)}; from 95 % on it can only be read`}
          />
          <UsageBar
            label="Connections"
            used={connections.active + connections.idle}
            at={connections.max}
            notified={false}
            words={`Connections: ${connections.active} active, ${connections.idle} idle, of ${connections.max}`}
          />
        </div>
      </Card>
      <Facts
        facts={[
          { label: 'Committed', value: transactions.committed.toLocaleString() },
          { label: 'Rolled back', value: transactions.rolled_back.toLocaleString() },
          { label: 'Deadlocks', value: transactions.deadlocks.toLocaleString() },
          {
            label: 'Cache hit ratio',
            value: requested === 0 ? 'nothing read' : percent((100 * blocks.hit) / requested),
          },
        ]}
      />
      <History cluster={cluster} />
      <Live samples={samples} />
    </>
  );
}

/** What this page has received, oldest first. */
function useSamples(measured: Measured | undefined, at: number): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (!measured || at === 0) return;
    setSamples((before) => (before.at(-1)?.at === at ? before : [...before, { at, measured }].slice(-KEPT)));
  }, [measured, at]);
  return samples;
}

/** How much a count grew in a second; a server that was started again counts from 0. */
const rateOf = (samples: readonly Sample[], of: (measured: Measured) => number) =>
  samples.map((sample, index) => {
    const before = samples[index - 1];
    if (!before) return null;
    const grown = of(sample.measured) - of(before.measured);
    return grown < 0 ? null : (1000 * grown) / (sample.at - before.at);
  });

const perSecond = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)}/s`;
const whole = (value: number) => Math.round(value).toLocaleString();
const NOTHING = 'It begins with the second measurement.';

function Live({ samples: known }: { readonly samples: readonly Sample[] }) {
  const samples = known.length > 1 ? known : [];
  const common = { nothing: NOTHING, times: samples.map(({ at }) => at / 1000) };
  const rate = (label: string, color: string, of: (measured: Measured) => number) => ({
    label,
    color,
    values: rateOf(samples, of),
  });
  const value = (label: string, color: string, of: (measured: Measured) => number) => ({
    label,
    color,
    values: samples.map(({ measured }) => of(measured)),
  });
  return (
    <Card title="Since this page was opened">
      <div className={styles.grid}>
        <Series
          {...common}
          title="Transactions"
          format={perSecond}
          lines={[
            rate('Committed', '--accent', ({ transactions }) => transactions.committed),
            rate('Rolled back', '--failed', ({ transactions }) => transactions.rolled_back),
          ]}
        />
        <Series
          {...common}
          title="Connections"
          format={whole}
          lines={[
            value('Active', '--accent', ({ connections }) => connections.active),
            value('Idle', '--good', ({ connections }) => connections.idle),
          ]}
        />
        <Series
          {...common}
          title="Rows"
          format={perSecond}
          lines={[
            rate('Returned', '--accent', ({ rows }) => rows.returned),
            rate('Written', '--good', ({ rows }) => rows.inserted + rows.updated + rows.deleted),
          ]}
        />
      </div>
    </Card>
  );
}

import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, every, faultOf } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { CodePanel } from '../../ui/code-panel.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { followTask } from '../../ui/follow-task.tsx';
import { Card } from '../../ui/page.tsx';
import { useSubmit } from '../../ui/submit.ts';
import { VerbButton } from '../../ui/verb-button.tsx';
import { ConfEditor } from './conf-editor.tsx';
import { type Cluster, useOffer, whyFixed } from './queries.ts';
import { change } from './verbs.ts';

const FIELD = 'pg_server_configuration.pg_conf';

/** What the server says against lines, by their number; what names none is said of the whole. */
export function faultsByLine(errors: readonly string[]) {
  const lines = new Map<number, string[]>();
  const others: string[] = [];
  for (const error of errors) {
    const [, line, text = ''] = /^line (\d+): (.*)$/s.exec(error) ?? [];
    if (line === undefined) others.push(error);
    else lines.set(Number(line), [...(lines.get(Number(line)) ?? []), text]);
  }
  return { lines, others };
}

/** The cluster's own lines of postgresql.conf, checked by the region's server while they are written. */
export function Settings({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const { pg_conf: saved, version } = cluster.pg_server_configuration;
  const [text, setText] = useState(saved);
  const { busy, fault: refused, send, forget } = useSubmit();
  const [settled] = useDebouncedValue(text, 300);
  const checked = useQuery({
    ...api.queryOptions('post', '/cloud/v1/dbaas/postgres/validate_pg_conf/{project_id}/{region_id}', {
      params: { path: pathParams(scope) },
      body: { pg_conf: settled, version },
    }),
    ...every(false),
  });
  // What was said of an earlier text says nothing of this one.
  const pending = settled !== text || checked.isPlaceholderData || checked.isPending;
  const unchecked = !pending && checked.error ? faultOf(checked.error) : undefined;
  const said = refused?.fields[FIELD] ?? (pending || unchecked ? undefined : checked.data?.errors) ?? [];
  const { lines, others } = faultsByLine(said);
  const why = whyFixed(cluster) ?? (text === saved ? 'Nothing is changed' : undefined);
  const call = change(scope, cluster.cluster_name, { pg_server_configuration: { pg_conf: text } });
  const save = async () => {
    const { data } = await send(call.send);
    const [task] = data?.tasks ?? [];
    if (task) followTask(task, { title: `Settings of ${cluster.cluster_name}` });
  };
  return (
    <>
      <Card
        title="postgresql.conf"
        aside={<State pending={pending} faults={unchecked ? undefined : said.length} />}
      >
        <div style={{ display: 'grid', gap: 12, padding: '12px 16px 16px' }}>
          {(others.length > 0 || (refused && !refused.fields[FIELD])) && (
            <FaultNote
              fault={
                refused && !refused.fields[FIELD]
                  ? refused
                  : { message: others.join(', '), fields: {}, requestId: undefined }
              }
            />
          )}
          {unchecked && <FaultNote fault={unchecked} retry={() => void checked.refetch()} />}
          <ConfEditor
            label="Your own lines; they override those of the size"
            value={text}
            faults={lines}
            change={(next) => {
              setText(next);
              forget();
            }}
          />
          <div style={{ display: 'flex', gap: 8 }}>
            <VerbButton onClick={() => void save()} loading={busy} why={why} call={call}>
              Save settings
            </VerbButton>
            <VerbButton
              variant="default"
              onClick={() => setText(saved)}
              why={text === saved ? 'Nothing is changed' : undefined}
            >
              Undo changes
            </VerbButton>
          </div>
        </div>
      </Card>
      <OfTheSize cluster={cluster} />
      <CodePanel call={call} />
    </>
  );
}

interface StateProps {
  readonly pending: boolean;
  /** Undefined: nobody could check it. */
  readonly faults: number | undefined;
}

function State({ pending, faults }: StateProps) {
  const counted = faults === 0 ? 'No errors' : `${faults} ${faults === 1 ? 'error' : 'errors'}`;
  return <span role="status">{pending ? 'Checking…' : faults === undefined ? 'Not checked' : counted}</span>;
}

/** What follows from the cluster's size, before its own lines. */
function OfTheSize({ cluster: { flavor } }: { readonly cluster: Cluster }) {
  const offer = useOffer();
  const own = offer.data?.flavors.find(
    ({ cpu, memory_gib: memory }) => cpu === flavor.cpu && memory === flavor.memory_gib,
  );
  if (!own) return null;
  return (
    <Card title="What follows from its size">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre style={{ margin: 0, padding: '12px 16px 14px', overflowX: 'auto' }} tabIndex={0}>
        {own.pg_conf.trim()}
      </pre>
    </Card>
  );
}

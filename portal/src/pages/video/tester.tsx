import { Button, NumberInput, RingProgress, SegmentedControl, TextInput, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, apiCall, every, faultOf, type Schemas } from '../../api/client.ts';
import { CodePanel } from '../../ui/code-panel.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Card, PageHead } from '../../ui/page.tsx';
import { useRouting } from '../../ui/routing.tsx';
import { duration, useNow } from '../../ui/time.tsx';
import wizard from '../../ui/wizard.module.css';
import { ANSWERS, partsOf } from './parts.ts';
import styles from './video.module.css';

const Player = lazy(() => import('./player.tsx'));

interface Requested {
  readonly video: string;
  readonly type: 'vod' | 'live';
  readonly expire: number;
  readonly client_ip?: string;
}

/** What the address of the page, or the form, asks for. */
const requestedOf = ({
  video = '',
  type,
  expire = '3600',
  viewer,
}: Readonly<Record<string, string>>): Requested => ({
  video,
  type: type === 'live' ? 'live' : 'vod',
  expire: Number(expire),
  ...(viewer ? { client_ip: viewer } : {}),
});

/** Asks for a token as a player would, and says what each part of the address is for. */
export function VideoTester() {
  const { changeSearch } = useRouting();
  const search = useSearch({ strict: false }) as Record<string, string>;
  const [video, setVideo] = useState(search.video ?? '');
  const [type, setType] = useState<'vod' | 'live'>(search.type === 'live' ? 'live' : 'vod');
  const [expire, setExpire] = useState<number | string>(Number(search.expire ?? 3600));
  const [viewer, setViewer] = useState(search.viewer ?? '');
  const requested = search.video ? requestedOf(search) : undefined;
  const ask = () =>
    void changeSearch(() => ({ video, type, expire: String(expire), viewer: viewer || undefined }));
  const draft = requestedOf({ video: video || 'VIDEO', type, expire: String(expire), viewer });
  return (
    <>
      <PageHead
        title="Video"
        about="Signed addresses that expire. Ask for one as a player would, see what each part says, and play it."
      />
      <div className={wizard.columns}>
        <div className={wizard.fields}>
          <Card title="Ask for an address">
            <form
              className={wizard.body}
              onSubmit={(event) => {
                event.preventDefault();
                ask();
              }}
            >
              <TextInput
                label="Video"
                description="Its slug, or the id of the live stream"
                value={video}
                onChange={(event) => setVideo(event.currentTarget.value)}
                required
              />
              <SegmentedControl
                aria-label="Kind"
                data={optionsOf({ vod: 'Kept', live: 'Live' })}
                value={type}
                onChange={(next) => setType(next as 'vod')}
              />
              <NumberInput label="Lifetime in seconds" min={1} value={expire} onChange={setExpire} />
              <TextInput
                label="Address of the viewer"
                description="Empty: yours, as the server sees it"
                value={viewer}
                onChange={(event) => setViewer(event.currentTarget.value)}
              />
              <Button type="submit">Get an address</Button>
            </form>
          </Card>
          <CodePanel call={apiCall('get', '/video/token', { params: { query: draft } })} />
        </div>
        <div className={wizard.outcome}>{requested && <Outcome requested={requested} />}</div>
      </div>
    </>
  );
}

function Outcome({ requested }: { readonly requested: Requested }) {
  const record = useQuery({
    ...api.queryOptions('get', '/video/token', { params: { query: requested } }),
    ...every(false),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (record.error) return <FaultNote fault={faultOf(record.error)} retry={() => void record.refetch()} />;
  if (!record.data) return null;
  return (
    <>
      <Signed record={record.data} renew={() => void record.refetch()} />
      <Card title="Player">
        <Suspense fallback={<div className={styles.player} />}>
          <Player key={record.data.url} requested={requested} />
        </Suspense>
      </Card>
    </>
  );
}

interface SignedProps {
  readonly record: Schemas['VideoTokenRecord'];
  readonly renew: () => void;
}

function Signed({ record, renew }: SignedProps) {
  const now = useNow();
  const [began] = useState(() => Date.now());
  const end = record.expires * 1000;
  const left = Math.max(0, end - now);
  const share = end > began ? (100 * left) / (end - began) : 0;
  const parts = partsOf(record.url);
  return (
    <Card title="The address" aside={<EdgeAnswer key={record.url} url={record.url} />}>
      <div className={styles.signed}>
        <div className={styles.address}>
          {parts.map(({ kind, text, meaning }) => (
            <Tooltip key={kind} label={meaning} multiline maw={320}>
              <code data-kind={kind}>{text}</code>
            </Tooltip>
          ))}
        </div>
        <RingProgress
          size={92}
          thickness={7}
          aria-label="Time until it expires"
          sections={[{ value: share, color: left > 0 ? 'rain' : 'red' }]}
          label={<div className={styles.left}>{left > 0 ? duration(left) : 'expired'}</div>}
        />
      </div>
      <dl className={styles.meanings}>
        {parts.map(({ kind, meaning }) => (
          <div key={kind} data-kind={kind}>
            <dt>{kind}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        <div>
          <dt>bound</dt>
          <dd>
            To the viewer {record.client_ip} alone: <CopyText value={record.url_ip} label="Copy address" />
          </dd>
        </div>
      </dl>
      <div className={styles.actions}>
        <CopyText value={record.url} label="Copy address" />
        <Button size="xs" variant="default" onClick={renew}>
          Another one
        </Button>
      </div>
    </Card>
  );
}

/** Asks the edge, and says why it answers so. */
function EdgeAnswer({ url }: { readonly url: string }) {
  const answer = useQuery({
    queryKey: ['edge', url],
    queryFn: async () => (await fetch(url, { credentials: 'omit' })).status,
    refetchInterval: 5_000,
    retry: false,
  });
  if (answer.error) return <span className={styles.soft}>The edge does not answer</span>;
  if (!answer.data) return null;
  return (
    <span className={styles.soft}>
      The edge answers {answer.data}. {ANSWERS[answer.data] ?? ''}
    </span>
  );
}

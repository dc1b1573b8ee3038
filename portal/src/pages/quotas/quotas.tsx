import { Group, NumberInput, SegmentedControl, Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiCall, faultOf, queryClient } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { useScope } from '../../app/scope.ts';
import { QuotaBar } from '../../pictures/quota-bar.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Card, PageHead } from '../../ui/page.tsx';
import { useRouting } from '../../ui/routing.tsx';
import { Time } from '../../ui/time.tsx';
import { VerbButton } from '../../ui/verb-button.tsx';
import { type Quota, quotaName, quotasOf } from './names.ts';
import styles from './quotas.module.css';
import { OwnRequests, RequestMore } from './requests.tsx';

const THRESHOLD = '/cloud/v2/client_quotas/{client_id}/notification_threshold';

const ABOUT = 'How much of everything the account may use.';

/** What the account may use, in this region and in all, and when it is warned. */
export function Quotas() {
  const { region } = useScope();
  const session = useSession();
  const clientId = session.state === 'in' ? session.clientId : 0;
  const { useSearch, changeSearch } = useRouting();
  const { show = 'used' } = useSearch();
  const quotas = useQuery(api.queryOptions('get', '/cloud/v2/client_quotas'));
  const threshold = useQuery(
    api.queryOptions('get', THRESHOLD, { params: { path: { client_id: clientId } } }),
  );
  if (quotas.error && !quotas.data)
    return (
      <>
        <PageHead title="Quotas" about={ABOUT} />
        <FaultNote fault={faultOf(quotas.error)} retry={() => void quotas.refetch()} />
      </>
    );
  const mark = threshold.data?.threshold ?? 80;
  const here = quotas.data?.regional_quotas.find(({ region_id }) => region_id === region);
  const shown = (list: readonly Quota[]) =>
    list.filter(({ limit, usage }) => (show === 'all' ? limit > 0 || usage > 0 : usage > 0));
  return (
    <>
      <PageHead
        title="Quotas"
        about={threshold.data ? `${ABOUT} You are warned by mail when one reaches ${mark} %.` : ABOUT}
      >
        <SegmentedControl
          aria-label="Which quotas"
          data={optionsOf({ used: 'In use', all: 'All' })}
          value={show}
          onChange={(next) =>
            void changeSearch(() => ({ show: next === 'used' ? undefined : next }), { replace: true })
          }
        />
        {quotas.data && (
          <RequestMore
            regional={quotasOf(here ?? {})}
            global={quotasOf(quotas.data.global_quotas)}
            threshold={mark}
          />
        )}
      </PageHead>
      <Card title="Warning">
        {threshold.error && !threshold.data ? (
          <FaultNote fault={faultOf(threshold.error)} retry={() => void threshold.refetch()} />
        ) : threshold.data ? (
          // Not before the answer: it would come into what somebody is typing.
          <Threshold clientId={clientId} value={mark} lastSending={threshold.data.last_sending ?? null} />
        ) : (
          <Skeleton height={60} m="md" />
        )}
      </Card>
      <Card title="In this region">
        {quotas.data ? (
          <Bars quotas={shown(quotasOf(here ?? {}))} mark={mark} />
        ) : (
          <Skeleton height={120} m="md" />
        )}
      </Card>
      {/* Nobody knows before how high what stands above it will be. */}
      {quotas.data && (
        <>
          <Card title="In all regions">
            <Bars quotas={shown(quotasOf(quotas.data.global_quotas))} mark={mark} />
          </Card>
          <OwnRequests />
        </>
      )}
    </>
  );
}

function Bars({ quotas, mark }: { readonly quotas: readonly Quota[]; readonly mark: number }) {
  if (quotas.length === 0) return <p className={styles.none}>Nothing is in use.</p>;
  return (
    <div className={styles.bars}>
      {quotas.map(({ name, limit, usage }) => (
        <QuotaBar key={name} name={quotaName(name)} limit={limit} usage={usage} threshold={mark} />
      ))}
    </div>
  );
}

interface ThresholdProps {
  readonly clientId: number;
  readonly value: number;
  readonly lastSending: string | null;
}

function Threshold({ clientId, value, lastSending }: ThresholdProps) {
  const [draft, setDraft] = useState<number | string>();
  const call = apiCall('put', THRESHOLD, {
    params: { path: { client_id: clientId } },
    body: { threshold: Number(draft) },
  });
  const save = async () => {
    const { error } = await call.send();
    if (error)
      notifications.show({
        color: 'red',
        title: 'The warning was not changed',
        message: faultOf(error).message,
      });
    setDraft(undefined);
    void queryClient.invalidateQueries();
  };
  return (
    <Group className={styles.threshold ?? ''} align="flex-end">
      <NumberInput
        label="Warn at, in percent"
        min={60}
        max={100}
        value={draft ?? value}
        onChange={setDraft}
        w={180}
      />
      <VerbButton
        why={draft === undefined || draft === value ? 'Nothing is changed' : undefined}
        call={call}
        onClick={() => void save()}
      >
        Save
      </VerbButton>
      <span className={styles.soft}>
        Last warning: <Time at={lastSending} />
      </span>
    </Group>
  );
}

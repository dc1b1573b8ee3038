import {
  Button,
  FileButton,
  Group,
  SegmentedControl,
  Skeleton,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api, apiCall, faultOf, queryClient } from '../../api/client.ts';
import { pathIn } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { CodePanel } from '../../ui/code-panel.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { Card, PageHead } from '../../ui/page.tsx';
import { useRouting } from '../../ui/routing.tsx';
import { focusFault, useSubmit } from '../../ui/submit.ts';
import { VerbButton } from '../../ui/verb-button.tsx';
import styles from '../../ui/wizard.module.css';
import { type Draft, type Drafts, draftsOf, FIELDS, type Key, KINDS, type PageSet, pageOf } from './kinds.ts';
import { Previews } from './previews.tsx';

/** Opens the designer once the set is known, so that nothing is typed over. */
export function PageDesigner() {
  const scope = useScope();
  const { id } = useParams({ strict: false }) as { id?: string };
  const set = useQuery({
    ...api.queryOptions('get', '/waap/v1/custom-page-sets/{set_id}', {
      params: { path: { set_id: Number(id) } },
    }),
    enabled: id !== undefined,
  });
  const back = { to: pathIn(scope, 'response-pages'), label: 'Response pages' };
  if (set.error && !set.data)
    return (
      <>
        <PageHead title="Pages" back={back} />
        <FaultNote fault={faultOf(set.error)} retry={() => void set.refetch()} others={back} />
      </>
    );
  if (id !== undefined && !set.data)
    return (
      <>
        <PageHead title="Pages" back={back} />
        <Skeleton height={320} />
      </>
    );
  return <Designer key={id ?? 'new'} set={set.data as PageSet | undefined} />;
}

/** Left the words of one page, right all six as visitors see them, in step with each key pressed. */
function Designer({ set }: { readonly set: PageSet | undefined }) {
  const scope = useScope();
  const navigate = useNavigate();
  const { page: shown = 'block' } = useSearch({ strict: false }) as { page?: Key };
  const { changeSearch } = useRouting();
  const [name, setName] = useState(set?.name ?? '');
  const [drafts, setDrafts] = useState<Drafts>(() => draftsOf(set));
  const { busy, fault, send } = useSubmit();
  const fields = useRef<HTMLDivElement>(null);
  const list = pathIn(scope, 'response-pages');
  const choose = (key: string) =>
    void changeSearch(() => ({ page: key }), { replace: true, resetScroll: false });
  const change = (next: Partial<Draft>) =>
    setDrafts((before) => ({ ...before, [shown]: { ...before[shown], enabled: true, ...next } }));
  const body = {
    name,
    ...Object.fromEntries(
      KINDS.filter(({ key }) => drafts[key].enabled || set?.[key]).map(({ key }) => [
        key,
        pageOf(key, drafts[key]),
      ]),
    ),
  };
  const call = set
    ? apiCall('patch', '/waap/v2/custom-page-sets/{set_id}', {
        params: { path: { set_id: set.id } },
        body,
      })
    : apiCall('post', '/waap/v1/custom-page-sets', { body });
  const save = async () => {
    const { error } = await send<unknown>(call.send, () => {
      notifications.show({ color: 'green', title: name, message: 'Saved' });
      void queryClient.invalidateQueries();
      return navigate({ to: list });
    });
    if (error !== undefined) focusFault(fields.current);
  };
  const kind = KINDS.find(({ key }) => key === shown) ?? KINDS[0];
  const errorOf = (field: string) => fault?.fields[field]?.join(', ');
  // Those of other pages have no field here.
  const others = Object.entries(fault?.fields ?? {}).filter(
    ([field]) => field !== 'name' && !field.startsWith(`${kind.key}.`),
  );
  return (
    <>
      <PageHead
        title={set?.name ?? 'Design pages'}
        about="Write on one page; the others show what they have. Nothing is kept before you save."
        back={{ to: list, label: 'Response pages' }}
      >
        <VerbButton onClick={() => void save()} loading={busy} call={call}>
          Save
        </VerbButton>
      </PageHead>
      <div className={styles.columns}>
        <div className={styles.fields} ref={fields}>
          {fault && (
            <div className={styles.fault}>
              <FaultNote fault={{ ...fault, fields: Object.fromEntries(others) }} />
            </div>
          )}
          <Card title="Set">
            <div className={styles.body}>
              <TextInput
                label="Name"
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                error={errorOf('name')}
                required
              />
            </div>
          </Card>
          <Card title={kind.name}>
            <div className={styles.body}>
              <Words
                kind={kind.key}
                draft={drafts[kind.key]}
                change={change}
                errorOf={(part) => errorOf(`${kind.key}.${part}`)}
              />
            </div>
          </Card>
          <CodePanel call={{ ...call, body: shortened(body) }} />
        </div>
        <div className={styles.outcome}>
          <SegmentedControl
            className={styles.choices ?? ''}
            fullWidth
            mb="sm"
            size="xs"
            aria-label="Page"
            value={shown}
            onChange={choose}
            data={KINDS.map(({ key, name: label }) => ({ value: key, label }))}
          />
          <Previews drafts={drafts} shown={shown} choose={choose} />
        </div>
      </div>
    </>
  );
}

/** A logo is long; the code shows where it stands. */
const shortened = (body: object): unknown =>
  JSON.parse(JSON.stringify(body), (key, value) =>
    key === 'logo' && value ? '(base64 of the image)' : value,
  );

interface WordsProps {
  readonly kind: Key;
  readonly draft: Draft;
  readonly change: (next: Partial<Draft>) => void;
  readonly errorOf: (part: string) => string | undefined;
}

const LABELS = {
  header: 'Header',
  title: 'Title',
  text: 'Text',
  error: 'When the answer was wrong',
} as const;

function Words({ kind, draft, change, errorOf }: WordsProps) {
  const parts = FIELDS[kind];
  const readLogo = async (file: File | null) => {
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    change({ logo: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) });
  };
  return (
    <>
      <Switch
        label="Show this page in place of the built-in one"
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      {parts.includes('logo') && (
        <Group gap="xs">
          <FileButton accept="image/png,image/jpeg" onChange={(file) => void readLogo(file)}>
            {(props) => (
              <Button {...props} size="xs" variant="default">
                {draft.logo ? 'Another logo…' : 'Logo…'}
              </Button>
            )}
          </FileButton>
          {draft.logo && (
            <Button size="xs" variant="subtle" color="gray" onClick={() => change({ logo: '' })}>
              No logo
            </Button>
          )}
          <span>{errorOf('logo') ?? 'PNG or JPEG, at most 450 × 130 pixels'}</span>
        </Group>
      )}
      {(['header', 'title', 'text', 'error'] as const)
        .filter((part) => parts.includes(part))
        .map((part) => {
          const common = {
            label: LABELS[part],
            value: draft[part] ?? '',
            onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
              change({ [part]: currentTarget.value }),
            error: errorOf(part),
          };
          const isLong = part === 'text' || part === 'error';
          return isLong ? (
            <Textarea key={part} autosize minRows={2} {...common} />
          ) : (
            <TextInput key={part} {...common} />
          );
        })}
    </>
  );
}

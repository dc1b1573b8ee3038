import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { type ApiFault, api, every, faultOf } from '../../api/client.ts';
import { FaultNote } from '../../ui/fault.tsx';
import { type Draft, type Drafts, type Key, KINDS, type Kind, pageOf } from './kinds.ts';
import styles from './previews.module.css';

const SETTLE_MS = 250;

interface PreviewsProps {
  readonly drafts: Drafts;
  readonly shown: Key;
  readonly choose: (key: string) => void;
}

/** All six pages as visitors see them, the one that is written on large. */
export function Previews({ drafts, shown, choose }: PreviewsProps) {
  const [settled] = useDebouncedValue(
    JSON.stringify(KINDS.map(({ key }) => wordsOf(key, drafts[key]))),
    SETTLE_MS,
  );
  const words = JSON.parse(settled) as readonly object[];
  const previews = useQueries({ queries: KINDS.map((kind, index) => previewOf(kind, words[index] ?? {})) });
  const faults = previews.map(({ error }) => (error ? faultOf(error) : undefined));
  // What is no field's fault, as that the server is away, is the same for all of them.
  const general = faults.find((fault) => fault && Object.keys(fault.fields).length === 0);
  return (
    <>
      {general && (
        <FaultNote fault={general} retry={() => void Promise.all(previews.map((one) => one.refetch()))} />
      )}
      <div className={styles.grid}>
        {KINDS.map((kind, index) => (
          <figure key={kind.key} className={styles.page} data-shown={kind.key === shown}>
            <Preview kind={kind} html={previews[index]?.data?.html} fault={faults[index]} />
            <figcaption>
              <button type="button" onClick={() => choose(kind.key)}>
                {kind.name}
              </button>
              <span>{drafts[kind.key].enabled ? kind.when : 'built in'}</span>
            </figcaption>
          </figure>
        ))}
      </div>
    </>
  );
}

function wordsOf(key: Key, draft: Draft): object {
  const { enabled: _, ...words } = pageOf(key, draft);
  return words;
}

const previewOf = ({ type }: Kind, words: object) => ({
  ...api.queryOptions('post', '/waap/v1/preview-custom-page', {
    params: { query: { page_type: type } },
    body: words,
  }),
  placeholderData: keepPreviousData,
  ...every(false),
});

interface PreviewProps {
  readonly kind: Kind;
  readonly html: string | undefined;
  readonly fault: ApiFault | undefined;
}

function Preview({ kind, html = '', fault }: PreviewProps) {
  const [first] = Object.entries(fault?.fields ?? {});
  if (first) return <div className={styles.fault}>{`${first[0]} ${first[1].join(', ')}`}</div>;
  // A frame without a page is a white one, also in the dark.
  if (fault && html === '') return <div className={styles.window} />;
  return (
    <div className={styles.window}>
      {/* The page is one document that may fetch nothing and run nothing. */}
      <iframe title={kind.name} sandbox="" srcDoc={withNonce(html)} tabIndex={-1} />
    </div>
  );
}

/** The page inherits the portal's content policy, which applies only those styles that carry its nonce. */
function withNonce(html: string): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
  return html.replaceAll('<style', `<style nonce="${nonce}"`);
}

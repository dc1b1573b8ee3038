import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, faultOf } from '../../api/client.ts';
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
  return (
    <div className={styles.grid}>
      {KINDS.map((kind) => (
        <figure key={kind.key} className={styles.page} data-shown={kind.key === shown}>
          <Preview kind={kind} draft={drafts[kind.key]} />
          <figcaption>
            <button type="button" onClick={() => choose(kind.key)}>
              {kind.name}
            </button>
            <span>{drafts[kind.key].enabled ? kind.when : 'built in'}</span>
          </figcaption>
        </figure>
      ))}
    </div>
  );
}

function Preview({ kind, draft }: { readonly kind: Kind; readonly draft: Draft }) {
  const { enabled: _, ...words } = pageOf(kind.key, draft);
  const [settled] = useDebouncedValue(JSON.stringify(words), SETTLE_MS);
  const preview = useQuery({
    ...api.queryOptions('post', '/waap/v1/preview-custom-page', {
      params: { query: { page_type: kind.type } },
      body: JSON.parse(settled),
    }),
    placeholderData: keepPreviousData,
    refetchInterval: false,
    retry: false,
  });
  if (preview.error) {
    const { fields, message } = faultOf(preview.error);
    const first = Object.entries(fields)[0];
    return <div className={styles.fault}>{first ? `${first[0]} ${first[1].join(', ')}` : message}</div>;
  }
  return (
    <div className={styles.window}>
      {/* The page is one document that may fetch nothing and run nothing. */}
      <iframe title={kind.name} sandbox="" srcDoc={withNonce(preview.data?.html ?? '')} tabIndex={-1} />
    </div>
  );
}

/** The page inherits the portal's content policy, which applies only those styles that carry its nonce. */
function withNonce(html: string): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
  return html.replaceAll('<style', `<style nonce="${nonce}"`);
}

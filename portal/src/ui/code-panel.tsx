import { Tabs } from '@mantine/core';
import styles from './code-panel.module.css';
import { type Call, curlOf, pythonOf } from './code-text.ts';
import { Copy } from './copy.tsx';
import { TabList } from './tab-list.tsx';

export type { Call };

/** The call that the form will make, as somebody would write it elsewhere; it follows each key. */
export function CodePanel({ call }: { readonly call: Call }) {
  const codes = [
    { label: 'curl', text: curlOf(call) },
    { label: 'Python', text: pythonOf(call) },
    ...(call.terraform ? [{ label: 'Terraform', text: call.terraform }] : []),
  ];
  return (
    <Tabs defaultValue="curl" className={styles.panel ?? ''}>
      <TabList tabs={codes.map(({ label }) => ({ key: label, label }))} />
      {codes.map(({ label, text }) => (
        <Tabs.Panel key={label} value={label}>
          <div className={styles.code}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre tabIndex={0}>{text}</pre>
            <div className={styles.copy}>
              <Copy value={text} label="Copy code" />
            </div>
          </div>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

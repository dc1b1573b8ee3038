import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** A button that copies `value` and says so. */
export function Copy({ value, label = 'Copy ID' }: { readonly value: string; readonly label?: string }) {
  return (
    <CopyButton value={value} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon size="sm" onClick={copy} aria-label={label}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** An id or address in code letters, with its copy button. */
export function CopyText({ value, label }: { readonly value: string; readonly label?: string }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 2, minWidth: 0 }}>
      <code style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>{value}</code>
      <Copy value={value} {...(label ? { label } : {})} />
    </span>
  );
}

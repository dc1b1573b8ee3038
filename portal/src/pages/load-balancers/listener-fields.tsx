import { NumberInput, Select, TextInput } from '@mantine/core';
import { certificates } from '../../api/choices.ts';
import { useScope } from '../../app/scope.ts';
import { FieldInput } from '../../ui/field-input.tsx';
import { AddItem, type ItemProps, RemoveItem } from '../../ui/item-buttons.tsx';
import { nextKey, useItemFocus } from '../../ui/item-focus.ts';
import { optionsOf } from '../../ui/options.ts';
import { Card } from '../../ui/page.tsx';
import styles from '../../ui/wizard.module.css';
import type { DraftListener, DraftMember, Protocol } from './draft.ts';

const PROTOCOLS: readonly { readonly value: Protocol; readonly label: string }[] = [
  { value: 'HTTP', label: 'HTTP' },
  { value: 'TERMINATED_HTTPS', label: 'HTTPS, TLS terminated here' },
  { value: 'TCP', label: 'TCP' },
  { value: 'UDP', label: 'UDP' },
];

const ALGORITHMS = optionsOf({
  ROUND_ROBIN: 'Round robin',
  LEAST_CONNECTIONS: 'Least connections',
  SOURCE_IP: 'By source address',
});

interface ListenerFieldsProps extends ItemProps<DraftListener> {
  readonly listener: DraftListener;
}

/** A listener with the pool behind it. */
export function ListenerFields({ listener, index, errorOf, change, remove }: ListenerFieldsProps) {
  const scope = useScope();
  const set = (next: Partial<DraftListener>) => change({ ...listener, ...next });
  return (
    <Card
      title={`Listener ${index + 1}`}
      aside={remove && <RemoveItem kind="listener" label={`Remove listener ${index + 1}`} remove={remove} />}
    >
      <div className={styles.body}>
        <div className={styles.pair}>
          <Select
            label="Protocol"
            data={[...PROTOCOLS]}
            value={listener.protocol}
            onChange={(value) => value && set({ protocol: value as Protocol })}
            allowDeselect={false}
            error={errorOf('protocol')}
          />
          <NumberInput
            label="Port"
            min={1}
            max={65_535}
            value={listener.port}
            onChange={(port) => set({ port })}
            error={errorOf('protocol_port')}
            required
          />
        </div>
        {listener.protocol === 'TERMINATED_HTTPS' && (
          <FieldInput
            field={{
              key: 'secretId',
              label: 'Certificate',
              kind: 'choice',
              placeholder: 'Choose a certificate',
              choices: certificates(scope),
            }}
            first={false}
            value={listener.secretId}
            change={(secretId) => set({ secretId: String(secretId) })}
            error={errorOf('secret_id')}
          />
        )}
        <Select
          label="Load balancing algorithm"
          data={[...ALGORITHMS]}
          value={listener.algorithm}
          onChange={(value) => value && set({ algorithm: value as DraftListener['algorithm'] })}
          allowDeselect={false}
          error={errorOf('pools.0.lb_algorithm')}
        />
        {(listener.protocol === 'HTTP' || listener.protocol === 'TERMINATED_HTTPS') && (
          <TextInput
            label="Health check path"
            description="A member that answers 200 there gets connections"
            value={listener.checkPath}
            onChange={(event) => set({ checkPath: event.currentTarget.value })}
            error={errorOf('pools.0.healthmonitor.url_path')}
          />
        )}
        <Members listener={listener} errorOf={errorOf} change={(members) => set({ members })} />
      </div>
    </Card>
  );
}

interface MembersProps {
  readonly listener: DraftListener;
  readonly errorOf: (field: string) => string | undefined;
  readonly change: (members: readonly DraftMember[]) => void;
}

function Members({ listener: { members }, errorOf, change }: MembersProps) {
  const { items, removing } = useItemFocus('member', members.length);
  // Members without an address are not sent: those that are have other places there.
  const faultOf = (index: number, field: string) => {
    const sent = members.slice(0, index).filter(({ address }) => address !== '').length;
    return members[index]?.address ? errorOf(`pools.0.members.${sent}.${field}`) : undefined;
  };
  const add = () =>
    change([...members, { key: nextKey(members), address: '', port: members.at(-1)?.port ?? 8080 }]);
  return (
    <div ref={items} className={styles.items}>
      {members.map((member, index) => (
        <div className={styles.row} key={member.key} data-item>
          <TextInput
            label={index === 0 ? 'Members' : undefined}
            aria-label={`Address of member ${index + 1}`}
            placeholder="127.0.0.1"
            value={member.address}
            onChange={(event) =>
              change(members.with(index, { ...member, address: event.currentTarget.value }))
            }
            error={faultOf(index, 'address')}
          />
          <NumberInput
            label={index === 0 ? 'Port' : undefined}
            aria-label={`Port of member ${index + 1}`}
            min={1}
            max={65_535}
            value={member.port}
            onChange={(port) => change(members.with(index, { ...member, port }))}
            error={faultOf(index, 'protocol_port')}
          />
          <RemoveItem
            mt={index === 0 ? 26 : 3}
            kind="member"
            label={`Remove member ${index + 1}`}
            remove={() => {
              removing(index);
              change(members.toSpliced(index, 1));
            }}
          />
        </div>
      ))}
      <AddItem add={add}>Add member</AddItem>
    </div>
  );
}

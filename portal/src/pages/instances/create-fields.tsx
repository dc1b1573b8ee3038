import { NumberInput, Select, Switch } from '@mantine/core';
import {
  flavors,
  images,
  networks,
  reservedAddresses,
  securityGroups,
  serverGroups,
  sshKeys,
  subnets,
} from '../../api/choices.ts';
import { useScope } from '../../app/scope.ts';
import { type Field, FieldInput, useChoices } from '../../ui/field-input.tsx';
import { choiceField } from '../../ui/fields.ts';
import { AddItem, type ItemProps, RemoveItem } from '../../ui/item-buttons.tsx';
import { nextKey, useItemFocus } from '../../ui/item-focus.ts';
import { NameInput } from '../../ui/name-input.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Card } from '../../ui/page.tsx';
import styles from '../../ui/wizard.module.css';
import { AddSshKey } from '../ssh-keys/form.tsx';
import type { Draft, DraftInterface } from './draft.ts';

interface PartProps {
  readonly draft: Draft;
  readonly change: (next: Partial<Draft>) => void;
  readonly errorOf: (field: string) => string | undefined;
}

/** Fields of the draft that are one value each. */
function Plain({ draft, change, errorOf, fields }: PartProps & { readonly fields: readonly Field[] }) {
  return fields.map((field) => (
    <FieldInput
      key={field.key}
      field={field}
      first={false}
      value={draft[field.key as 'name']}
      error={[field.fault ?? field.key].flat().map(errorOf).find(Boolean)}
      change={(value) => change({ [field.key]: value })}
    />
  ));
}

export function InstanceFields(props: PartProps) {
  const scope = useScope();
  const { draft, change, errorOf } = props;
  return (
    <Card title="Instance">
      <div className={styles.body}>
        <NameInput value={draft.name} change={(name) => change({ name })} error={errorOf('name')} />
        <Plain
          {...props}
          fields={[
            choiceField('image', 'Image', images(scope), {
              about: 'Boot source',
              fault: 'volumes.0.image_id',
            }),
            choiceField('flavor', 'Size', flavors(scope)),
            {
              key: 'sshKey',
              label: 'SSH key',
              about: 'For signing in to it',
              kind: 'choice',
              choices: sshKeys(scope),
              beside: (choose) => <AddSshKey project={scope.project} choose={choose} />,
              fault: 'ssh_key_name',
            },
          ]}
        />
      </div>
    </Card>
  );
}

export function VolumeFields({ draft, change, errorOf }: PartProps) {
  const { items, removing } = useItemFocus('volume', draft.volumes.length);
  const remove = (index: number) => {
    removing(index);
    change({ volumes: draft.volumes.toSpliced(index, 1) });
  };
  const add = () => change({ volumes: [...draft.volumes, { key: nextKey(draft.volumes), size: 50 }] });
  return (
    <Card title="Volumes">
      <div className={styles.body} ref={items}>
        <NumberInput
          label="Boot volume in GiB"
          min={1}
          value={draft.bootSize}
          onChange={(bootSize) => change({ bootSize: Number(bootSize) })}
          error={errorOf('volumes.0.size') ?? errorOf('volumes.0')}
          required
        />
        {draft.volumes.map((volume, index) => (
          <div className={styles.alone} key={volume.key} data-item>
            <NumberInput
              label={`Volume ${index + 2}, empty, in GiB`}
              min={1}
              value={volume.size}
              onChange={(size) =>
                change({ volumes: draft.volumes.with(index, { ...volume, size: Number(size) }) })
              }
              error={errorOf(`volumes.${index + 1}.size`)}
            />
            <RemoveItem
              mt={26}
              kind="volume"
              label={`Remove volume ${index + 2}`}
              remove={() => remove(index)}
            />
          </div>
        ))}
        <AddItem add={add}>Add volume</AddItem>
      </div>
    </Card>
  );
}

const TYPES = optionsOf({
  external: 'External network, with an address of its own',
  any_subnet: 'A network, on any of its subnets',
  subnet: 'A subnet',
  reserved_fixed_ip: 'A reserved fixed IP',
});

export function ConnectionFields({ draft, change, errorOf }: PartProps) {
  const { items, removing } = useItemFocus('connection', draft.interfaces.length);
  const remove = (index: number) => {
    removing(index);
    change({ interfaces: draft.interfaces.toSpliced(index, 1) });
  };
  const set = (index: number, next: DraftInterface) =>
    change({ interfaces: draft.interfaces.with(index, next) });
  const key = nextKey(draft.interfaces);
  const add = () =>
    change({ interfaces: [...draft.interfaces, { key, type: 'any_subnet', target: '', floating: false }] });
  return (
    <Card title="Connections">
      <div className={styles.body} ref={items}>
        {draft.interfaces.map((one, index) => (
          <Connection
            key={one.key}
            value={one}
            index={index}
            errorOf={errorOf}
            change={(next) => set(index, next)}
            {...(draft.interfaces.length > 1 ? { remove: () => remove(index) } : {})}
          />
        ))}
        <AddItem add={add}>Add connection</AddItem>
      </div>
    </Card>
  );
}

interface ConnectionProps extends ItemProps<DraftInterface> {
  readonly value: DraftInterface;
}

function Connection({ value, index, errorOf, change, remove }: ConnectionProps) {
  const scope = useScope();
  const at = (field: string) => errorOf(`interfaces.${index}.${field}`);
  const { type } = value;
  const choices = { any_subnet: networks, subnet: subnets, reserved_fixed_ip: reservedAddresses };
  const words = { any_subnet: 'Network', subnet: 'Subnet', reserved_fixed_ip: 'Reserved fixed IP' };
  return (
    <div data-item>
      <div className={styles.alone}>
        <Select
          label={index === 0 ? 'Connect it to' : 'And to'}
          data={TYPES}
          value={type}
          onChange={(next) => change({ ...value, type: (next ?? type) as typeof type, target: '' })}
          allowDeselect={false}
          error={errorOf(`interfaces.${index}`)}
        />
        {remove && (
          <RemoveItem mt={26} kind="connection" label={`Remove connection ${index + 1}`} remove={remove} />
        )}
      </div>
      {type !== 'external' && (
        <div className={styles.under}>
          <FieldInput
            field={choiceField('target', words[type], choices[type](scope))}
            first={false}
            value={value.target}
            error={at('network_id') ?? at('subnet_id') ?? at('port_id')}
            change={(target) => change({ ...value, target: String(target) })}
          />
          <Switch
            label="With a floating IP"
            checked={value.floating}
            onChange={(event) => change({ ...value, floating: event.currentTarget.checked })}
          />
        </div>
      )}
    </div>
  );
}

export function MoreFields(props: PartProps) {
  const scope = useScope();
  const groups = useChoices({ choices: serverGroups(scope) });
  return (
    <Card title="Advanced">
      <div className={styles.body}>
        <Plain
          {...props}
          fields={[
            {
              key: 'groups',
              label: 'Security groups',
              about: 'None: the default one of the project',
              kind: 'choices',
              choices: securityGroups(scope),
              fault: 'security_groups',
            },
            ...(groups.data.length > 0
              ? [
                  {
                    key: 'serverGroup',
                    label: 'Server group',
                    kind: 'choice' as const,
                    choices: serverGroups(scope),
                    fault: 'servergroup_id',
                  },
                ]
              : []),
            {
              key: 'userData',
              label: 'User data',
              about: 'A script or cloud-config that runs once',
              kind: 'area',
              placeholder: '#!/bin/sh',
              fault: 'user_data',
            },
            { key: 'tags', label: 'Tags', kind: 'tags' },
          ]}
        />
      </div>
    </Card>
  );
}

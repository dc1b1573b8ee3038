import { apiCall, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { numberField, textField } from '../../ui/fields.ts';
import { type Field, given, SideForm, text } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';

interface MemberFormProps {
  readonly pool: Schemas['Pool'];
  readonly close: () => void;
}

const FIELDS: readonly Field[] = [
  textField('address', 'Address'),
  numberField('port', 'Port', { initial: 80, min: 1, max: 65_535, fault: 'protocol_port' }),
  {
    key: 'weight',
    label: 'Weight',
    about: 'Its share of the connections, beside the others',
    kind: 'number',
    initial: 1,
    min: 0,
    max: 256,
  },
  {
    key: 'backup',
    label: 'Backup',
    about: 'It gets connections only while all others are down',
    kind: 'switch',
  },
];

const MEMBERS = '/cloud/v1/loadbalancers/{project_id}/{region_id}/pools/{pool_id}/members';

/** What adding a member needs. */
export const newMember = ({ project }: Scope) => needsOf('post', MEMBERS, project);

/** Another server in a pool. */
export function MemberForm({ pool, close }: MemberFormProps) {
  const path = { ...pathParams(useScope()), pool_id: pool.id };
  return (
    <SideForm<Schemas['CreateMember']>
      opened
      close={close}
      title={`Add a member to ${pool.name}`}
      verb="Add member"
      fields={FIELDS}
      body={(values) => ({
        address: text(values, 'address'),
        protocol_port: Number(values.port),
        ...given({ weight: number(values, 'weight') }),
        ...(values.backup ? { backup: true } : {}),
      })}
      request={(body) => apiCall('post', MEMBERS, { params: { path }, body })}
    />
  );
}

import { useQuery } from '@tanstack/react-query';
import { api, apiCall, type Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { areaField, textField } from '../../ui/fields.ts';
import { textFilter } from '../../ui/filters.tsx';
import { type Column, useListOfScope } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { type Field, text } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { texts } from '../../ui/values.ts';

const CERTIFICATES = '/cloud/v1/secrets/{project_id}/{region_id}';

type Secret = Schemas['Secret'];

const COLUMNS: readonly Column<Secret>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Kind', cell: ({ secret_type }) => secret_type },
  {
    label: 'Expires',
    cell: ({ expiration }) => (expiration ? new Date(expiration).toLocaleDateString() : 'no date given'),
  },
  { label: 'Created', cell: ({ created }) => <Time at={created} /> },
];

const FIELDS: readonly Field[] = [
  textField('name', 'Name'),
  areaField('certificate', 'Certificate', { about: 'PEM, the server’s own', fault: 'payload.certificate' }),
  areaField('private_key', 'Private key', {
    about: 'PEM. It is encrypted, and never shown again',
    fault: 'payload.private_key',
  }),
  {
    key: 'chain',
    label: 'Certificate chain',
    kind: 'area',
    about: 'PEM, the authorities between it and the root',
    fault: 'payload.certificate_chain',
  },
];

export function Secrets() {
  const { path, params } = useListOfScope(({ name }) => ({ name__contains: name }));
  const result = useQuery(api.queryOptions('get', CERTIFICATES, { params }));
  return (
    <NounPage
      title="Certificates"
      about="Certificates with their keys, for listeners that terminate TLS and for connections to members."
      filters={[textFilter('name', 'Name')]}
      result={result}
      columns={COLUMNS}
      empty={{
        title: 'No certificates',
        about: 'Add one, and a load balancer can serve HTTPS with it.',
      }}
      remove={{
        kind: 'certificate',
        consequences: () => 'A certificate that a listener or pool uses stays.',
        call: ({ id }) =>
          apiCall('delete', `${CERTIFICATES}/{secret_id}`, { params: { path: { ...path, secret_id: id } } }),
      }}
      form={{
        title: 'Add certificate',
        fields: FIELDS,
        body: (values) => ({
          name: text(values, 'name'),
          payload: {
            ...texts(values, 'certificate', 'private_key'),
            certificate_chain: text(values, 'chain') || text(values, 'certificate'),
          },
        }),
        request: (body) =>
          apiCall('post', '/cloud/v2/secrets/{project_id}/{region_id}', { params: { path }, body }),
        shown: (body) => ({ ...body, payload: { ...body.payload, private_key: '…' } }),
      }}
    />
  );
}

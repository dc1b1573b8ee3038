import { makeCertificate, payloadOf } from '../../../server/src/features/secrets/testing/certificates.ts';
import { post, remove, type Scenario } from './scenario.ts';

const SECRETS = '/cloud/v1/secrets/1/2';
const body = { name: 'site', payload: payloadOf(await makeCertificate(['site.test'])) };
const creation = post(SECRETS.replace('/v1/', '/v2/'), body);

export const secrets: Readonly<Record<string, Scenario>> = {
  create_secret: { start: () => creation },
  delete_secret: {
    prepare: ({ finished }) => finished(creation, 'secrets'),
    start: (id) => remove(`${SECRETS}/${id}`),
  },
};

import { makeCertificate, payloadOf } from '../../../server/src/features/secrets/testing/certificates.ts';
import { type Actor, SIMULATED } from './actor.ts';

const SECRETS = `/cloud/v1/secrets/1/${SIMULATED}`;
const payload = payloadOf(await makeCertificate(['site.test']));

export const secrets: Actor = {
  weight: 1,
  async live(client, number) {
    const at = (id: string) => `${SECRETS}/${id}`;
    const name = `chaos ${number}`;
    const body = { name, payload };
    const id = await client.create(SECRETS.replace('/v1/', '/v2/'), body, 'secrets', at, { name });
    if (id !== undefined) await client.maybeRemove(at(id));
  },
  all: [{ list: SECRETS, one: ({ id }) => `${SECRETS}/${id}` }],
};

// @ts-check

/**
 * As SDKs of AWS read it.
 * @param {import('./tool.d.ts').Context} context
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function storageEnv({ server, env, work }) {
  const { address, access_key, secret_key } = await server.storage();
  return {
    ...env,
    HOME: work,
    AWS_ENDPOINT_URL_S3: address,
    AWS_ACCESS_KEY_ID: access_key,
    AWS_SECRET_ACCESS_KEY: secret_key,
    AWS_DEFAULT_REGION: 'us-east-1',
  };
}

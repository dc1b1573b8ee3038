import { S3Client } from '@aws-sdk/client-s3';

interface Key {
  readonly access_key: string;
  readonly secret_key: string;
}

/** A client of an object storage, which tries everything once. */
export const s3ClientOf = (endpoint: string, key: Key): S3Client =>
  new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: key.access_key, secretAccessKey: key.secret_key },
  });

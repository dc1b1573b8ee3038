import { expect, test } from 'vitest';
import { encodePath, Signer } from './aws-signature.ts';

/** The examples of the signature's makers. */

const signer = new Signer({
  region: 'us-east-1',
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
});
const now = new Date('2013-05-24T00:00:00Z');
const host = 'examplebucket.s3.amazonaws.com';

test('an object is asked for as in the published example', () => {
  const unsigned = { method: 'GET', host, path: '/test.txt', headers: { range: 'bytes=0-9' } };
  const headers = signer.sign(unsigned, now);
  expect(headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
  expect(headers['x-amz-date']).toBe('20130524T000000Z');
});

test('a list is asked for as in the published example', () => {
  const headers = signer.sign({ method: 'GET', host, path: '/', query: 'max-keys=2&prefix=J' }, now);
  expect(headers.authorization).toMatch(
    /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/,
  );
});

test('names are escaped as the signature wants them, slashes are not', () => {
  expect(encodePath("/videos/1_a b/it's (1)*!~+=&é.ts")).toBe(
    '/videos/1_a%20b/it%27s%20%281%29%2A%21~%2B%3D%26%C3%A9.ts',
  );
});

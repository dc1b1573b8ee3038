import type { Examples } from '../../platform/openapi/examples.ts';

/** For shop.example.com, signed by itself and made for this place: it protects nothing. */
const certificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBrTCCAVOgAwIBAgICEAEwCgYIKoZIzj0EAwIwGzEZMBcGA1UEAxMQc2hvcC5l',
  'eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGzEZ',
  'MBcGA1UEAxMQc2hvcC5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEH',
  'A0IABK8N9exG4lAf/w9BR/xJmvnrR5Okf7ArIrIjv10TGEy/JKsak+QCxqUXONZw',
  'T2bN4NiA33sXgk1Mfq2GQlMH8aGjgYQwgYEwDAYDVR0TAQH/BAIwADAxBgNVHREE',
  'KjAoghBzaG9wLmV4YW1wbGUuY29tghR3d3cuc2hvcC5leGFtcGxlLmNvbTAdBgNV',
  'HQ4EFgQUp2ruHoC1EovK+1PTITVmzoaplrEwHwYDVR0jBBgwFoAUp2ruHoC1EovK',
  '+1PTITVmzoaplrEwCgYIKoZIzj0EAwIDSAAwRQIgYkoJVRrwTIdL7IPAjI0PXi42',
  'o50Co+zZWk+P0Y2SXNsCIQCzGASugHlUp7PKn2dG0o7uqWMfDEuGQVwYir5jXi3G',
  '3A==',
  '-----END CERTIFICATE-----',
  '',
].join('\n');
const private_key = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5xs2cs8iFzd36uSo',
  'RRxyUqoEv1UyO/dhblwD2OpYebWhRANCAASvDfXsRuJQH/8PQUf8SZr560eTpH+w',
  'KyKyI79dExhMvySrGpPkAsalFzjWcE9mzeDYgN97F4JNTH6thkJTB/Gh',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

export const secretExamples: Examples = {
  CreateSecret: {
    name: 'shop.example.com',
    payload: { certificate, certificate_chain: '', private_key },
    expiration: '2040-01-01T00:00:00Z',
  },
  OlderCreateSecret: {
    name: 'shop.example.com',
    secret_type: 'certificate',
    payload: Buffer.from(private_key + certificate).toString('base64'),
    payload_content_encoding: 'base64',
    payload_content_type: 'application/octet-stream',
  },
};

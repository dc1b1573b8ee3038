import type { Examples } from '../../platform/openapi/examples.ts';

export const userActionExamples: Examples = {
  CreateUserActionSubscription: {
    url: 'https://audit.example.com/virga',
    auth_header_name: 'Authorization',
    auth_header_value: 'Bearer 8c1f0b7e5d2a4936',
  },
};

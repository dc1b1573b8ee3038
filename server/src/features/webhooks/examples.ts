import type { Examples } from '../../platform/openapi/examples.ts';

export const webhookExamples: Examples = {
  UpdateWebhookTarget: { url: 'https://hooks.example.com/new' },
  CreateWebhookTarget: { client_id: 1, url: 'https://hooks.example.com/virga' },
};

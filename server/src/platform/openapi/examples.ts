/** What a person would send, body by body, as the document shows it. */

/** Bodies by the name (`$id`) of their shape: one, or `several` with what each of them does. */
export type Examples = Readonly<Record<string, unknown>>;

/** Bodies of one shape that do different things, by what they do. */
export class Several {
  readonly bodies: Readonly<Record<string, unknown>>;
  constructor(bodies: Readonly<Record<string, unknown>>) {
    this.bodies = bodies;
  }
}

export const several = (bodies: Readonly<Record<string, unknown>>): Several => new Several(bodies);

/** Ids that stand in examples for those of one's own: each for the same kind of thing everywhere, and for nothing
 *  that exists. The test that sends the examples puts its own in their place. */
export const SAMPLE = {
  floatingIp: '4b1f9a52-6c0e-4d83-9a77-2f5c8e1d0b36',
  group: '0c5d7e2a-93b1-4f68-8d24-7a1e6b9c3f50',
  groupRule: 'd2a6c481-5e7f-4b09-b3c8-19e0f47a6d25',
  instance: '7e3b0d94-1f62-4c5a-a8e9-60d2b71c4f83',
  listener: '59c8e1f7-b204-4a3d-8f16-c3e75a90d2b4',
  loadBalancer: 'a81d3c6f-4e95-4702-9b5d-e60f1c28a7d3',
  member: '1e96b2d8-70fc-4d31-a54b-8c3f02e7195a',
  network: 'c40f87a1-d63b-4e29-b718-5a92e3c6f0d4',
  pool: '3fa2d5b9-8e10-46c7-92ad-f74b0c61e853',
  port: 'e57b914c-20d8-4f6e-8c3a-b19d70f52a68',
  reservedPort: '96d0e3f2-a71b-4c84-b05e-3d8f6a27c941',
  router: 'b2c7f608-3a9d-4e51-8647-d01e5c9b83fa',
  secondInstancePort: '28f4a1c0-e5d7-4936-a2fb-06c8b3d97e15',
  schedule: 'ac17d5e3-94f2-4b60-8e3d-50b7f1c9a286',
  secret: '64e9d8b3-0f2c-4a75-9e1d-a78c51b0f326',
  serverGroup: 'f318c5a7-6b4e-4d90-83f2-9c07e1d5b64a',
  snapshot: '8a05e7d1-c92f-4b36-ad68-4e1f70b9c253',
  subnet: '5d71b0f9-4c8a-4e23-9670-e2b3d8a15f0c',
  task: '0f84c2e6-b57d-4a19-8e30-d6a92f1c7b58',
  volume: 'bd39f671-08e4-4c5b-a1d2-7f60c8e3952a',
} as const;

/** The Debian of the simulated region that everybody has: ids of public images follow from region and name. */
export const DEBIAN = '9c8d6fd5-03b0-4def-8580-0d8245223ee6';

/** @returns what stands beside the schema of a body */
export function shown(example: unknown): Readonly<Record<string, unknown>> {
  if (example === undefined) return {};
  if (!(example instanceof Several)) return { example };
  const named = Object.entries(example.bodies).map(([summary, value]) => {
    const name = summary.toLowerCase().replace(/[^a-z0-9]+/g, '_');
    return [name, { summary, value }];
  });
  return { examples: Object.fromEntries(named) };
}

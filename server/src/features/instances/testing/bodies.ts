/** Bodies and paths for tests of instances in project 1 and region 2, which is simulated. */

export const INSTANCES = '/cloud/v1/instances/1/2';
export const INSTANCES_V2 = '/cloud/v2/instances/1/2';

type Json = Readonly<Record<string, unknown>>;
type Get = (
  path: string,
) => Promise<{ readonly body: { readonly results: readonly { readonly id: string }[] } }>;

/** An image that the region offers. */
export async function anImage(get: Get): Promise<string> {
  const { body } = await get('/cloud/v1/images/1/2?os_distro=debian');
  const [image] = body.results;
  if (!image) throw new Error('the region offers no image');
  return image.id;
}

/** A small instance on the region's own network. */
export const instanceBody = (image_id: string, more: Json = {}): Json => ({
  name: 'instance',
  flavor: 'g1-standard-1-2',
  volumes: [{ source: 'image', image_id, size: 10, delete_on_termination: true }],
  interfaces: [{ type: 'external' }],
  ...more,
});

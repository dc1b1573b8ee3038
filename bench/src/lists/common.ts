import { isOrder, type List, type Parameter } from './document.ts';

/** Which pairs of filters and orders people and clients send in one request. A list with twenty parameters has hundreds
 *  of pairs, which nobody asks for: a pair is common if a page of the portal sends both, or if both are among what every
 *  kind of thing is looked for by. Whoever adds a filter to a page of the portal adds it here. */

/** What each page of the portal sends in one request, by list. Of several kinds that exclude each other, each has a
 *  group of its own. */
const ON_ONE_PAGE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  listLoadBalancers: [
    [
      'name',
      'operating_status',
      'provisioning_status',
      'tag_key',
      'assigned_floating',
      'logging_enabled',
      'order_by',
    ],
  ],
  listInstances: [['include_k8s', 'name', 'ip', 'status', 'order_by']],
  listVolumes: [['name_part', 'has_attachments']],
  listImages: [['name', 'visibility']],
  listNetworks: [['name', 'order_by']],
  listPorts: [['ip_addresses', 'attached', 'order_by']],
  listReservedFixedIps: ['external_only', 'internal_only', 'available_only', 'vip_only'].map((kind) => [
    'ip_address',
    kind,
    'order_by',
  ]),
  listTasks: [['project_id', 'region_id', 'state', 'task_type']],
  listUserActions: [['search_field', 'action_type', 'api_group', 'project_id', 'region_id']],
  listObjectStorages: [['name', 'provisioning_status', 'show_deleted', 'order_by']],
  listCustomPageSets: [['name', 'ordering']],
  listRegions: [['show_volume_types', 'order_by']],
};

/** What every kind of thing is looked for by: its name, its state, its tags. */
const EVERYWHERE = [
  'name',
  'name_part',
  'display_name',
  'search_field',
  'status',
  'state',
  'operating_status',
  'provisioning_status',
  'tag_key',
  'tag_key_value',
  'metadata_k',
  'metadata_kv',
];

/** Whether people and clients send both in one request. */
export function isCommon({ id }: List, one: Parameter, other: Parameter): boolean {
  const onOnePage = (ON_ONE_PAGE[id] ?? []).some(
    (group) => group.includes(one.name) && group.includes(other.name),
  );
  const everywhere = (parameter: Parameter) => isOrder(parameter) || EVERYWHERE.includes(parameter.name);
  return onOnePage || (everywhere(one) && everywhere(other));
}

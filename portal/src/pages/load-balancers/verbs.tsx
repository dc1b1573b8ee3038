import { loadBalancerFlavors } from '../../api/choices.ts';
import { apiCall } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { whyBusy } from '../../ui/delete-action.tsx';
import { useEditForm } from '../../ui/edit-form.ts';
import { useFieldForm } from '../../ui/field-form.ts';
import { choiceField } from '../../ui/fields.ts';
import { rowCall } from '../../ui/row-call.ts';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import { given, text } from '../../ui/side-form.tsx';
import { number } from '../../ui/values.ts';
import type { LoadBalancer } from './list.tsx';

const LOAD_BALANCER = '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}';

/** Another server takes over. */
export const failOver = (scope: Scope) =>
  rowCall<LoadBalancer>({
    label: 'Fail over',
    title: ({ name }) => `Fail over ${name}`,
    call: ({ id }) =>
      apiCall('post', `${LOAD_BALANCER}/failover`, {
        params: { path: { ...pathParams(scope), load_balancer_id: id } },
        body: {},
      }),
    disabled: whyBusy,
  });

/** Forms about the load balancer itself: its name and tags, its size, and where its access log goes. */
export function useLoadBalancerForms(scope: Scope): readonly RowVerb<LoadBalancer>[] {
  const save = (lb: LoadBalancer, body: object) =>
    apiCall('patch', '/cloud/v2/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', {
      params: { path: { ...pathParams(scope), load_balancer_id: lb.id } },
      body,
    });
  const edit = useEditForm<LoadBalancer>({
    disabled: whyBusy,
    tagsOf: ({ tags_v2 }) => tags_v2,
    request: save,
  });
  const logging = useRowForm<LoadBalancer, object>({
    label: 'Access log…',
    disabled: whyBusy,
    form: (lb) => ({
      title: `Access log of ${lb.name}`,
      verb: 'Save',
      fields: [
        {
          key: 'enabled',
          label: 'Write a line for each request',
          kind: 'switch',
          initial: lb.logging?.enabled ?? false,
          fault: 'logging.enabled',
        },
        {
          key: 'topic_name',
          label: 'Topic',
          about: 'The name under which its lines are kept',
          kind: 'text',
          initial: lb.logging?.topic_name ?? '',
          fault: 'logging.topic_name',
          when: ({ enabled }) => enabled === true,
        },
        {
          key: 'period',
          label: 'Keep, in days',
          about: 'Empty: as the region does',
          kind: 'number',
          min: 1,
          initial: lb.logging?.retention_policy?.period ?? '',
          fault: 'logging.retention_policy',
          when: ({ enabled }) => enabled === true,
        },
      ],
      body: (values) => ({
        logging: {
          enabled: values.enabled === true,
          ...given({
            topic_name: text(values, 'topic_name'),
            retention_policy:
              number(values, 'period') === undefined ? undefined : { period: number(values, 'period') },
          }),
        },
      }),
      request: (body) => save(lb, body),
    }),
  });
  const resize = useFieldForm({
    label: 'Resize…',
    disabled: whyBusy,
    title: ({ name }: LoadBalancer) => `Resize ${name}`,
    asks: 'flavor',
    field: (key, { flavor }) =>
      choiceField(key, 'Size', loadBalancerFlavors(scope), {
        first: false,
        about: 'Traffic goes on while it changes.',
        initial: flavor?.flavor_name ?? '',
      }),
    request: ({ id }, body) =>
      apiCall('post', `${LOAD_BALANCER}/resize`, {
        params: { path: { ...pathParams(scope), load_balancer_id: id } },
        body,
      }),
  });
  return [edit, resize, logging];
}

import { Button, Switch } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { loadBalancerFlavors, subnets } from '../../api/choices.ts';
import { apiCall } from '../../api/client.ts';
import { pathIn, pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { TopologyPicture } from '../../pictures/topology.tsx';
import { useDraft } from '../../ui/drafts.tsx';
import { FieldInput } from '../../ui/field-input.tsx';
import { followTask, pageOfTask } from '../../ui/follow-task.tsx';
import { nextKey, useItemFocus } from '../../ui/item-focus.ts';
import { NameInput } from '../../ui/name-input.tsx';
import { Card } from '../../ui/page.tsx';
import styles from '../../ui/wizard.module.css';
import { Wizard } from '../../ui/wizard.tsx';
import { bodyOf, type Draft, type DraftListener, draftTopology, terraformOf } from './draft.ts';
import { ListenerFields } from './listener-fields.tsx';

const newListener = (key: number): DraftListener => ({
  key,
  protocol: 'HTTP',
  port: key === 1 ? 80 : 8000 + key,
  secretId: '',
  algorithm: 'ROUND_ROBIN',
  members: [
    { key: 1, address: '', port: 8080 },
    { key: 2, address: '', port: 8080 },
  ],
  checkPath: '/',
});

const EMPTY: Draft = { name: '', flavor: '', subnet: '', floating: false, listeners: [newListener(1)] };

/** Fields of a listener that show what the API says of them. */
const KNOWN =
  /^(name|vip_subnet_id|floating_ip|listeners\.\d+\.(protocol|protocol_port|secret_id|pools\.0\.lb_algorithm|pools\.0\.healthmonitor\.url_path|pools\.0\.members\.\d+\.(address|protocol_port)))$/;

/** A wizard on one page: the picture and the code grow with each key pressed. */
export function CreateLoadBalancer() {
  const scope = useScope();
  const navigate = useNavigate();
  const path = pathParams(scope);
  const kept = useDraft<Draft>(location.pathname, () => EMPTY);
  const draft = kept.value;
  const { items, removing } = useItemFocus('listener', draft.listeners.length);
  const list = pathIn(scope, 'load-balancers');
  const change = (next: Partial<Draft>) => kept.set((before) => ({ ...before, ...next }));
  const created = async ({ tasks: [task] }: { tasks: readonly string[] }) => {
    if (task) followTask(task, { title: `Create ${draft.name}` });
    return navigate({ to: (task && (await pageOfTask(task))) ?? list });
  };
  const remove = (index: number) => {
    removing(index);
    change({ listeners: draft.listeners.toSpliced(index, 1) });
  };
  return (
    <Wizard
      title="Create load balancer"
      about="Say where it listens and which servers are behind it. The preview shows the result."
      back={{ to: list, label: 'Load balancers' }}
      request={apiCall('post', '/cloud/v1/loadbalancers/{project_id}/{region_id}', {
        params: { path },
        body: bodyOf(draft),
      })}
      terraform={terraformOf(bodyOf(draft), scope)}
      draft={kept}
      done={created}
      known={(field) => KNOWN.test(field)}
      aside={
        <Button
          variant="default"
          onClick={() => change({ listeners: [...draft.listeners, newListener(nextKey(draft.listeners))] })}
        >
          Add listener
        </Button>
      }
      fields={(errorOf) => (
        <>
          <Card title="Load balancer">
            <div className={styles.body}>
              <NameInput
                about="3 to 63 letters, digits, spaces, dots, dashes"
                value={draft.name}
                change={(name) => change({ name })}
                error={errorOf('name')}
              />
              <FieldInput
                field={{
                  key: 'flavor',
                  label: 'Size',
                  kind: 'choice',
                  placeholder: 'Default',
                  choices: loadBalancerFlavors(scope),
                }}
                first={false}
                value={draft.flavor}
                error={errorOf('flavor')}
                change={(flavor) => change({ flavor: String(flavor) })}
              />
              <FieldInput
                field={{
                  key: 'subnet',
                  label: 'Subnet',
                  about: 'Of its address, and of its members',
                  kind: 'choice',
                  placeholder: 'None: an external address',
                  choices: subnets(scope),
                }}
                first={false}
                value={draft.subnet}
                error={errorOf('vip_subnet_id')}
                change={(subnet) => change({ subnet: String(subnet) })}
              />
              <Switch
                label="With a floating IP"
                checked={draft.floating}
                error={errorOf('floating_ip')}
                onChange={(event) => change({ floating: event.currentTarget.checked })}
              />
            </div>
          </Card>
          <div ref={items}>
            {draft.listeners.map((listener, index) => (
              <div key={listener.key} data-item>
                <ListenerFields
                  listener={listener}
                  errorOf={(field) => errorOf(`listeners.${index}.${field}`)}
                  index={index}
                  change={(next) => change({ listeners: draft.listeners.with(index, next) })}
                  {...(draft.listeners.length > 1 ? { remove: () => remove(index) } : {})}
                />
              </div>
            ))}
          </div>
        </>
      )}
      outcome={
        <Card title="Preview">
          <TopologyPicture topology={draftTopology(draft)} label="The load balancer that will be created" />
        </Card>
      }
    />
  );
}

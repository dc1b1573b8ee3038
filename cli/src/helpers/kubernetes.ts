import type { Command } from 'commander';
import type { Schemas } from '../../../client/src/index.ts';
import { Context, type Globals } from '../context.ts';
import { addGlobals } from '../operation-command.ts';
import { operation } from '../operations.ts';
import { pathOf } from '../run-operation.ts';
import type { Terminal } from '../terminal.ts';

/** `k8s kubeconfig web > kubeconfig`. */
export function addKubernetesHelpers(noun: Command, terminal: Terminal): void {
  const row = operation('getKubeconfig');
  const command = noun
    .command('kubeconfig')
    .description('Print the configuration with which kubectl reaches a cluster')
    .argument('<cluster-name>')
    .addHelpText('after', '\nvirga k8s kubeconfig web > kubeconfig; KUBECONFIG=kubeconfig kubectl get nodes');
  addGlobals(command, row);
  command.action(async (name: string, options: Globals) => {
    const context = new Context(terminal, options);
    const connection = context.connect();
    const path = await pathOf(row, [name], connection, context);
    const answer = (await connection.client.call('GET', row.path, { path })) as Schemas['K8sKubeconfig'];
    if (options.output && options.output !== 'table') context.print(answer);
    else terminal.print(answer.config.trimEnd());
  });
}

import type { Command } from 'commander';
import { Context, type Globals } from '../context.ts';
import { addOutput } from '../operation-command.ts';
import type { Terminal } from '../terminal.ts';

/** `quota` alone: what is used of which limit. */
export function addQuotaHelpers(noun: Command, terminal: Terminal): void {
  const command = noun
    .command('show', { isDefault: true })
    .description('Show what is used of each limit')
    .option('--all', 'also what nothing is used of');
  addOutput(command).action(async (options: Globals & { readonly all?: boolean }) => {
    const context = new Context(terminal, options);
    const { global_quotas, regional_quotas } = await context.connect().client.get('/cloud/v2/client_quotas');
    const rows = [
      ...rowsOf('account', global_quotas),
      ...regional_quotas.flatMap((quotas) => rowsOf(`region ${quotas.region_id}`, quotas)),
    ];
    context.print(rows.filter(({ used }) => options.all || used > 0));
  });
}

const USAGE = '_usage';

interface Row {
  readonly name: string;
  /** The account, or a region. */
  readonly within: string;
  readonly used: number;
  readonly limit: number | undefined;
}

/** `volume_count_usage` and `volume_count_limit` are one row. */
function rowsOf(within: string, quotas: Readonly<Record<string, number | undefined>>): readonly Row[] {
  return Object.keys(quotas)
    .filter((key) => key.endsWith(USAGE))
    .map((key) => key.slice(0, -USAGE.length))
    .map((name) => ({ name, within, used: quotas[`${name}${USAGE}`] ?? 0, limit: quotas[`${name}_limit`] }));
}

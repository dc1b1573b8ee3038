import { Command } from 'commander';
import { edgeCommand } from './edge/command.ts';

const program = new Command('virga').description('Virga on the command line').addCommand(edgeCommand());

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

// Whoever reads the output may have enough of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), processTerminal());

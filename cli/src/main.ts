import { VERSION } from './version.ts';

// Whoever reads the output may have enough of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Scripts ask for it before anything else; it needs nothing of what follows.
  console.log(VERSION);
} else {
  const [{ run }, { processTerminal }] = await Promise.all([import('./run.ts'), import('./terminal.ts')]);
  process.exitCode = await run(args, processTerminal());
}

#!/usr/bin/env node
// @ts-check
import '../../scripts/lib/node-version.mjs';

const { ROOT } = await import('../../scripts/lib/root.mjs');
// Nothing is installed here: what the command prints may be going into a file.
const { bundle } = await import('../../scripts/lib/bundle.mjs');

await import(await bundle(ROOT, 'cli'));

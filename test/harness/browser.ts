import { type Browser, chromium } from 'playwright-core';

/** The real browser of the tests: the build without windows, which needs two thirds of the processor time of the
 *  whole one. */
const PROGRAM = '/usr/bin/chromium-headless-shell';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the browser of this machine.
 *  @param flags of the program, beside those that all tests need */
export const launchBrowser = (flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: PROGRAM, args: [...FLAGS, ...flags] });

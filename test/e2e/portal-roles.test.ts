import { afterAll, beforeAll, vi } from 'vitest';
import { Portal } from './portal/harness.ts';
import { roleStories } from './portal/roles.ts';

/** People of each role, in the account and in a project. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const portal = new Portal();

beforeAll(async () => {
  await portal.start();
  await portal.signIn();
});
afterAll(() => portal.stop());

roleStories(portal);

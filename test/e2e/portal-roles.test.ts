import { vi } from 'vitest';
import { sharedPortal } from './portal/harness.ts';
import { roleStories } from './portal/roles.ts';

/** People of each role, in the account and in a project. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const portal = sharedPortal();

roleStories(portal);

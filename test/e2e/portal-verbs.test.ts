import { expect, test, vi } from 'vitest';
import { sharedPortal } from './portal/harness.ts';
import { idleStories } from './portal/idle.ts';
import { mapStories } from './portal/map.ts';
import { operatorStories } from './portal/operator.ts';
import { searchStories } from './portal/search.ts';
import { stateStories } from './portal/states.ts';
import { tabStories } from './portal/tabs.ts';
import { taskStories } from './portal/tasks.ts';
import { volumeStories } from './portal/volumes.ts';

/** Each form and verb of some nouns is pressed. All stories share one program and one browser, in this order. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const portal = sharedPortal();

volumeStories(portal);
searchStories(portal);
tabStories(portal);
stateStories(portal);
mapStories(portal);
idleStories(portal);
operatorStories(portal);
taskStories(portal);

test('the browser had nothing to complain about', () => {
  expect(portal.complaints).toEqual([]);
});

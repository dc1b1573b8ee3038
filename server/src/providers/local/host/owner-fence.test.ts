import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { gate } from '../../../../../test/harness/gate.ts';
import { NotOwner, OwnerFence } from './owner-fence.ts';

let folder: string;

beforeEach(() => {
  const made = mkdtempSync(path.join(tmpdir(), 'virga-fence-'));
  folder = made;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

test('who has not taken over changes nothing, and neither does who was replaced', async () => {
  const [first, second] = [new OwnerFence(folder), new OwnerFence(folder)];
  await expect(first.hold(async () => 'changed')).rejects.toThrow(NotOwner);
  await first.takeOver(1);
  expect(await first.hold(async () => 'changed')).toBe('changed');
  await second.takeOver(2);
  let changes = 0;
  await expect(first.hold(async () => changes++)).rejects.toThrow(NotOwner);
  expect(changes).toBe(0);
  expect(await second.hold(async () => 'changed')).toBe('changed');
  await first.takeOver(3);
  expect(await first.hold(async () => 'changed')).toBe('changed');
});

test('a change that has begun ends before somebody else takes over', async () => {
  const [first, second] = [new OwnerFence(folder), new OwnerFence(folder)];
  await first.takeOver(1);
  const [begun, end] = [gate(), gate()];
  const steps: string[] = [];
  const change = first.hold(async () => {
    begun.open();
    await end.opened;
    steps.push('changed');
  });
  await begun.opened;
  const takeOver = second.takeOver(2).then(() => steps.push('taken over'));
  end.open();
  await Promise.all([change, takeOver]);
  expect(steps).toEqual(['changed', 'taken over']);
});

test('changes of one process do not wait for each other, and letting go waits for all', async () => {
  const fence = new OwnerFence(folder);
  await fence.takeOver(1);
  const [first, second, end] = [gate(), gate(), gate()];
  const change = (begun: { open: () => void }) =>
    fence.hold(async () => {
      begun.open();
      await end.opened;
    });
  const changes = [change(first), change(second)];
  await Promise.all([first.opened, second.opened]);
  let gone = false;
  const releasing = fence.release().then(() => {
    gone = true;
  });
  await expect(fence.hold(async () => {})).rejects.toThrow(NotOwner);
  expect(gone).toBe(false);
  end.open();
  await Promise.all([...changes, releasing]);
});

/** A process that takes over and stays in the middle of a change, or is ready for one. */
async function startChanging(epoch = 1, ready = false): Promise<ChildProcess> {
  const module = path.join(import.meta.dirname, 'owner-fence.ts');
  const program = `import { OwnerFence } from ${JSON.stringify(module)};
    const fence = new OwnerFence(${JSON.stringify(folder)});
    await fence.takeOver(${epoch});
    if (${ready}) { console.log('ready'); setInterval(() => {}, 1000); }
    else await fence.hold(() => { console.log('changing'); return new Promise(() => setInterval(() => {}, 1000)); });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child;
}

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'a process that gets %s in the middle of a change is replaced, and never goes on with it',
  async (signal) => {
    const child = await startChanging();
    const ended = once(child, 'exit');
    child.kill(signal);
    const fence = new OwnerFence(folder);
    await fence.takeOver(2);
    expect(await fence.hold(async () => 'changed')).toBe('changed');
    expect(await ended).toEqual([null, 'SIGKILL']);
  },
);

test('whoever takes over too late, since another process has done so meanwhile, changes nothing', async () => {
  const child = await startChanging(3, true);
  const late = new OwnerFence(folder);
  await expect(late.takeOver(2)).rejects.toThrow(NotOwner);
  await expect(late.hold(async () => 'changed')).rejects.toThrow(NotOwner);
  // Epochs of another database may be lower than those of one that has ended.
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await late.takeOver(2);
  expect(await late.hold(async () => 'changed')).toBe('changed');
});

test('nothing begins any more with the last change', async () => {
  const fence = new OwnerFence(folder);
  await fence.takeOver(1);
  const late: unknown[] = [];
  await fence.finish(async () => {
    await fence.hold(async () => 'changed').catch((error: unknown) => late.push(error));
  });
  expect(late).toEqual([expect.any(NotOwner)]);
  await expect(fence.finish(async () => undefined)).rejects.toThrow(NotOwner);
});

test('beside another machine a change is made only where nobody here works on the region, or has since', async () => {
  const [first, second] = [new OwnerFence(folder), new OwnerFence(folder)];
  let changes = 0;
  const change = async () => changes++;
  expect(await first.aside(1, change)).toBe(true);
  await second.takeOver(3);
  expect(await second.aside(3, change)).toBe(false);
  await second.release();
  expect(await first.aside(2, change)).toBe(false);
  expect(await first.aside(3, change)).toBe(true);
  expect(changes).toBe(2);
});

test('nobody takes over while a change is made beside another machine', async () => {
  const [first, second] = [new OwnerFence(folder), new OwnerFence(folder)];
  const [begun, end] = [gate(), gate()];
  const steps: string[] = [];
  const aside = first.aside(1, async () => {
    begun.open();
    await end.opened;
    steps.push('changed');
  });
  await begun.opened;
  const takeOver = second.takeOver(2).then(() => steps.push('taken over'));
  end.open();
  await Promise.all([aside, takeOver]);
  expect(steps).toEqual(['changed', 'taken over']);
});

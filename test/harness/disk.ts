import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Small file systems of their own, for disks that are full for real. */

/** Whether file systems can be mounted here. Tried out: a container may not. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(path.join(tmpdir(), 'virga-mount-'));
  try {
    mountDisk(folder, 1024 * 1024);
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(`${folder}.disk`, { force: true });
  }
}

/** Mounts a file system over a folder, with attributes of files and no blocks for root alone. */
export function mountDisk(folder: string, bytes: number): void {
  const image = `${folder}.disk`;
  writeFileSync(image, '');
  truncateSync(image, bytes);
  execFileSync('mkfs.ext4', ['-q', '-m', '0', image], { stdio: 'ignore' });
  execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'ignore' });
  rmSync(path.join(folder, 'lost+found'), { recursive: true });
  chmodSync(folder, 0o711);
}

/** Leaves nothing free on the disk of a file, until that is removed. */
export function fillDisk(ballast: string): void {
  for (const size of [65_536, 1]) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

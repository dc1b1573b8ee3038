/** All of a cloud in one file, and back: what `virga backup` and `virga restore` do. */
export { type BackupOptions, backup } from './backup.ts';
export { BackupError, type Manifest } from './manifest.ts';
export { type RestoreOptions, restore } from './restore.ts';

/** Directories that an ordinary user's PATH often leaves out. */
export const SYSTEM_DIRECTORIES = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/bin',
  '/opt/homebrew/bin',
];

import { readFileSync } from 'node:fs';

/** An account of this machine. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The first of these accounts that this machine has and that may do nothing special, or undefined. */
export function findAccount(names: readonly string[], passwd = readPasswd()): Account | undefined {
  const lines = passwd.split('\n').map((line) => line.split(':'));
  for (const name of names) {
    const line = lines.find((fields) => fields[0] === name);
    const [uid, gid] = [Number(line?.[2]), Number(line?.[3])];
    // macOS writes nobody as -2, which is the unsigned number that the kernel wants.
    if (line && Number.isInteger(uid) && uid !== 0) return { name, uid: uid >>> 0, gid: gid >>> 0 };
  }
  return undefined;
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}

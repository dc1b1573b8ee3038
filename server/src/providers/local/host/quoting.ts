import { TaskFailed } from '../../../kernel/errors.ts';

/** How texts enter HAProxy's three grammars: its configuration, its log formats, its command socket.
 *  Everything that a user typed passes one of these functions, or a stricter check, on its way. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
const IDENTIFIER = /^[A-Za-z0-9_-]{1,64}$/;
const BARE_WORD = /^[A-Za-z0-9_.:/@,=-]+$/;

/** Stands before each regular expression: how many steps PCRE2 may take to find out that a text does not match, some
 *  milliseconds. `(a+)+$` could else take longer than the universe is old. A limit that a user writes can only lower
 *  it. */
export const MATCH_LIMIT = '(*LIMIT_MATCH=100000)';

/** One configuration word that holds exactly this text.
 *  Single quotes are HAProxy's strong quotes: nothing is special inside them, not even a backslash.
 *  @throws TaskFailed when the text has control characters, which no quoting can carry. */
export function quote(text: string): string {
  refuseControlCharacters(text);
  if (BARE_WORD.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A configuration word for a place where HAProxy expands `%` (redirect targets, header values). */
export function quoteFormat(text: string): string {
  return quote(text.replaceAll('%', '%%'));
}

/** One word of a command for the runtime socket, which knows no quotes, only backslashes. */
export function escapeCommandWord(text: string): string {
  refuseControlCharacters(text);
  return text.replaceAll(/[\\ ;]/g, (character) => `\\${character}`);
}

/** The id itself, if it can be part of a name in the configuration and of a file name. */
export function identifier(id: string): string {
  if (!IDENTIFIER.test(id)) throw new Error(`not an id: ${JSON.stringify(id)}`);
  return id;
}

/** @throws TaskFailed naming the first line break or other control character. */
export function refuseControlCharacters(text: string): void {
  const found = CONTROL_CHARACTER.exec(text);
  if (!found) return;
  const code = found[0].charCodeAt(0).toString(16).padStart(2, '0');
  throw new TaskFailed(
    `The text ${JSON.stringify(text)} has a control character (0x${code}), which is not allowed`,
  );
}

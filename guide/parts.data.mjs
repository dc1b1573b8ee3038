// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PARTS, pageOf } from './order.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');

/** What the first page lists. */
export default {
  load: () =>
    PARTS.map(({ title, about, files }) => ({
      title,
      about,
      pages: files.map((file) => ({
        text: file === 'README.md' ? 'Start' : titleOf(file),
        link: `/guide/${pageOf(file).replace(/(index)?\.md$/, '')}`,
      })),
    })),
};

/** @param {string} file */
const titleOf = (file) =>
  /^# (.*)$/m.exec(readFileSync(path.join(ROOT, file), 'utf8'))?.[1]?.replaceAll('`', '') ?? file;

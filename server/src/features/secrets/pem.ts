export interface PemBlock {
  /** What it holds: `CERTIFICATE`, `X509 CRL`, `PRIVATE KEY`. */
  readonly label: string;
  /** With its BEGIN and END lines. */
  readonly text: string;
}

const BEGIN = /-----BEGIN ([A-Z0-9 ]{1,40})-----/g;

/** The PEM blocks of a text, in their order; what stands between them counts as comment. One pass, however the
 *  text was made. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  const begin = new RegExp(BEGIN);
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const [line, label = ''] = found;
    const endLine = `-----END ${label}-----`;
    const end = text.indexOf(endLine, found.index + line.length);
    if (end < 0) break;
    begin.lastIndex = end + endLine.length;
    blocks.push({ label, text: text.slice(found.index, begin.lastIndex) });
  }
  return blocks;
}

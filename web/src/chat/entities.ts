// `&amp;` and its like, as they stand in Markdown. Without the browser's own parser, which would make HTML of it.

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  euro: '€',
  copy: '©',
  reg: '®',
  trade: '™',
  sect: '§',
  para: '¶',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
  minus: '−',
  plusmn: '±',
}
const MAX_CODE = 0x10ffff

/** What is not known stays as it is written. */
export const withoutEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, characterOf) : text

function characterOf(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name]! : entity
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  // https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references: NUL is replaced.
  return code === 0 || code > MAX_CODE || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
}

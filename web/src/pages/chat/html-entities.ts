// Decodes HTML entities in Markdown without the browser's HTML parser, which would create elements.

const NAMED = new Map(
  Object.entries({
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
  }),
)
const MAX_CODE = 0x10ffff

/** Unknown entities stay as written. */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, decodeEntity) : text

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? entity
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  // https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references: NUL is replaced.
  return code === 0 || code > MAX_CODE || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
}

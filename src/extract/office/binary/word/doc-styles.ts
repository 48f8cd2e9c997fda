// Finds the styles of headings of a Word document (MS-DOC 2.9.271).

/** The numbers of the styles that are headings, or based on one. */
export function readHeadingNumbers(styles: Buffer): ReadonlySet<number> {
  const found = listStyles(styles)
  const headings = new Set<number>()
  for (const number of found.keys()) if (isHeading(found, number)) headings.add(number)
  return headings
}

interface DocStyle {
  /** The number that programs know, whatever the name is in the language of the user. */
  builtIn: number
  basedOn: number
}

/** "heading 1" to "heading 9", and "Title". */
const isHeadingNumber = (builtIn: number): boolean => (builtIn >= 1 && builtIn <= 9) || builtIn === 62

/** Word has at most 4,095. */
const MAX_STYLES = 4_096

function listStyles(styles: Buffer): Map<number, DocStyle> {
  const found = new Map<number, DocStyle>()
  if (styles.length < 4) return found
  let at = 2 + styles.readUInt16LE(0)
  for (let number = 0; number < MAX_STYLES && at + 2 <= styles.length; number++) {
    const length = styles.readUInt16LE(at)
    if (length >= 4 && at + 6 <= styles.length)
      found.set(number, { builtIn: styles.readUInt16LE(at + 2) & 0xfff, basedOn: styles.readUInt16LE(at + 4) >> 4 })
    at += 2 + length + (length % 2)
  }
  return found
}

/** Styles may be based on each other in a cycle. */
const MAX_STYLE_DEPTH = 20

function isHeading(styles: ReadonlyMap<number, DocStyle>, number: number): boolean {
  let style = styles.get(number)
  for (let step = 0; style !== undefined && step < MAX_STYLE_DEPTH; step++) {
    if (isHeadingNumber(style.builtIn)) return true
    style = styles.get(style.basedOn)
  }
  return false
}

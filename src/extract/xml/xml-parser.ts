// Streaming XML parser. Only the predefined and numeric entities are supported, so entities cannot expand or be
// fetched.
import { Parser } from 'htmlparser2'
import { checkDeadline, type ExtractBudget, ReadEnded } from '../reader.ts'

export interface XmlHandlers {
  /** Names have no namespace prefix: `w:p` is `p`. */
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

export type Attributes = Readonly<Record<string, string>>

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Also finds prefixed attributes. */
export function attributeNamed(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name]
  for (const key in attributes) if (localName(key) === name) return attributes[key]
  return undefined
}

export interface XmlStreamParser {
  write(piece: string): void
  end(): void
}

/** Real documents are less deep, and parsing takes time quadratic in the depth. */
const MAX_NESTING = 5_000

export function createXmlParser({ open, text, close }: XmlHandlers): XmlStreamParser {
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_NESTING) throw new ReadEnded('limit', 'nesting')
        open?.(localName(name), attributes)
      },
      ontext: (piece) => text?.(piece),
      onclosetag(name) {
        depth--
        close?.(localName(name))
      },
    },
    { xmlMode: true },
  )
  return { write: (piece) => parser.write(piece), end: () => parser.end() }
}

const CHUNK_LENGTH = 1 << 16

/** Parses a whole text, and looks at the clock now and then. */
export function parseXmlText({ budget }: { budget: ExtractBudget }, source: string, parser: XmlStreamParser): void {
  for (let at = 0; at < source.length; at += CHUNK_LENGTH) {
    checkDeadline(budget)
    parser.write(source.slice(at, at + CHUNK_LENGTH))
  }
  parser.end()
}

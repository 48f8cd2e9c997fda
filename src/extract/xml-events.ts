// XML as a stream of events. No entity beyond the five of XML and numbers is known, so none can expand or be fetched.
import { Parser } from 'htmlparser2'
import { Ended } from './reading.ts'

export interface XmlEvents {
  /** Names come without their prefix: `w:p` is `p`. */
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

export type Attributes = Readonly<Record<string, string>>

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Also of attributes with their prefix, of which a document has one or none. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name]
  for (const key in attributes) if (localName(key) === name) return attributes[key]
  return undefined
}

export interface XmlFeed {
  write(piece: string): void
  end(): void
}

/** No document that somebody reads nests deeper; what does takes time that grows with the square of its depth. */
const MAX_NESTING = 5_000

export function xmlFeed({ open, text, close }: XmlEvents): XmlFeed {
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_NESTING) throw new Ended('limit', 'nesting')
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

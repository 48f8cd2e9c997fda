// Writes Outlook messages with the library's writer, which it uses for embedded messages.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { burn } = require('@kenjiuno/msgreader/lib/Burner.js') as {
  burn(
    entries: {
      name: string
      type: number
      binaryProvider?: () => ArrayLike<number>
      length: number
      children?: number[]
    }[],
  ): Uint8Array
}

const ROOT = 5
const FOLDER = 1
const STREAM = 2

interface Folder {
  [name: string]: Buffer | Folder
}

function entriesOf(root: Folder): Parameters<typeof burn>[0] {
  const entries: Parameters<typeof burn>[0] = []
  const add = (name: string, type: number, content: Buffer | Folder): number => {
    const at = entries.length
    if (Buffer.isBuffer(content))
      entries.push({ name, type, length: content.length, binaryProvider: () => Uint8Array.from(content) })
    else {
      const entry = { name, type, length: 0, children: [] as number[] }
      entries.push(entry)
      for (const [inner, value] of Object.entries(content))
        entry.children.push(add(inner, Buffer.isBuffer(value) ? STREAM : FOLDER, value))
    }
    return at
  }
  add('Root Entry', ROOT, root)
  return entries
}

/** A compound file with these streams and folders. */
export const compoundFile = (root: Folder): Buffer => Buffer.from(burn(entriesOf(root)))

const utf16 = (text: string) => Buffer.from(text, 'utf16le')
/** MS-OXMSG 2.4: the header's length depends on the owner of the properties. */
const properties = (headerLength: number) => Buffer.alloc(headerLength)

export const msg = (): Buffer =>
  Buffer.from(
    burn(
      entriesOf({
        '__properties_version1.0': properties(32),
        '__substg1.0_0037001F': utf16('Hello from Outlook'),
        '__substg1.0_1000001F': utf16('The plan is attached.'),
        '__substg1.0_0C1A001F': utf16('Ada'),
        '__substg1.0_0C1F001F': utf16('ada@example.com'),
        '__recip_version1.0_#00000000': {
          '__properties_version1.0': properties(8),
          '__substg1.0_3001001F': utf16('Bob'),
          '__substg1.0_3003001F': utf16('bob@example.com'),
        },
        '__attach_version1.0_#00000000': {
          '__properties_version1.0': properties(8),
          '__substg1.0_3707001F': utf16('plan.txt'),
          '__substg1.0_37010102': Buffer.from('the plan'),
        },
      }),
    ),
  )

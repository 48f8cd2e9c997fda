// Writes a small PDF 1.4, optionally encrypted (standard handler with RC4, revision 2).
import { createHash } from 'node:crypto'

export interface PdfPage {
  text?: string
  /** Texts at their places, in the order of the file. */
  runs?: readonly PdfRun[]
  /** Contains an image, like a scan. */
  image?: boolean
}

export interface PdfRun {
  text: string
  /** In points, from the lower left corner of a page of 595 by 842. */
  x: number | string
  y: number | string
  size?: number | string
  isBold?: boolean
  /** Degrees to the left. */
  turn?: number
}

export interface PdfOptions {
  password?: string
  outline?: { title: string; page: number }[]
  info?: Record<string, string>
}

export function pdf(pages: readonly PdfPage[], { password, outline = [], info = {} }: PdfOptions = {}): Buffer {
  const id = Buffer.alloc(16, 7)
  const lock = password === undefined ? undefined : lockFor(password, id)
  const objects: string[] = []
  const add = (body: string) => objects.push(body)
  const literal = (text: string) => `(${text.replace(/[\\()]/g, '\\$&')})`
  const stream = (extra: string, data: string) => {
    const bytes =
      lock === undefined ? data : lock.encrypt(objects.length + 1, Buffer.from(data, 'latin1')).toString('latin1')
    return add(`<<${extra}/Length ${bytes.length}>>\nstream\n${bytes}\nendstream`)
  }
  const FONT = 3
  const first = 5
  const pageNumber = (at: number) => first + at * 2
  const outlineAt = first + pages.length * 2
  add(
    `<</Type/Catalog/Pages 2 0 R/Lang${lock ? '<>' : '(en)'}${outline.length > 0 ? `/Outlines ${outlineAt} 0 R` : ''}>>`,
  )
  add(`<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, at) => `${pageNumber(at)} 0 R`).join(' ')}]>>`)
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>')
  stream('/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8', '\xff')
  pages.forEach(({ text = '', runs = [], image = false }, at) => {
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F ${FONT} 0 R/B<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>>>/XObject<</I 4 0 R>>>>/Contents ${pageNumber(at) + 1} 0 R>>`,
    )
    const placed = runs.map(({ text: content, x, y, size = 10, isBold = false, turn = 0 }) => {
      const [cos, sin] = [Math.cos, Math.sin].map((it) => it((turn * Math.PI) / 180).toFixed(4))
      return `BT /${isBold ? 'B' : 'F'} ${size} Tf ${cos} ${sin} ${-Number(sin)} ${cos} ${x} ${y} Tm ${literal(content)} Tj ET`
    })
    const lines = text.split('\n').map((line) => `${literal(line)} Tj T*`)
    stream(
      '',
      `${image ? 'q 500 0 0 700 40 40 cm /I Do Q ' : ''}${text ? `BT /F 12 Tf 14 TL 50 800 Td ${lines.join(' ')} ET` : ''}${placed.join('\n')}`,
    )
  })
  if (outline.length > 0) {
    add(`<</Type/Outlines/First ${outlineAt + 1} 0 R/Last ${outlineAt + outline.length} 0 R/Count ${outline.length}>>`)
    outline.forEach(({ title, page }, at) => {
      const next = at + 1 < outline.length ? `/Next ${outlineAt + at + 2} 0 R` : ''
      add(`<</Title${literal(title)}/Parent ${outlineAt} 0 R/Dest[${pageNumber(page)} 0 R/Fit]${next}>>`)
    })
  }
  const infoAt = objects.length + 1
  add(
    `<<${Object.entries(info)
      .map(([name, value]) => `/${name}${literal(value)}`)
      .join('')}>>`,
  )
  const encrypt = lock === undefined ? '' : `/Encrypt ${add(lock.dictionary)} 0 R`
  return writeObjects(
    objects,
    `/Root 1 0 R/Info ${infoAt} 0 R/ID[<${id.toString('hex')}><${id.toString('hex')}>]${encrypt}`,
  )
}

export function writeObjects(objects: readonly string[], trailer: string): Buffer {
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'
  const offsets = objects.map((body, at) => {
    const offset = text.length
    text += `${at + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const start = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  text += offsets.map((it) => `${String(it).padStart(10, '0')} 00000 n \n`).join('')
  text += `trailer\n<</Size ${objects.length + 1}${trailer}>>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
const padded = (password: string) => Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32)
const md5 = (...parts: Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest()
const PERMISSIONS = Buffer.from([0xfc, 0xff, 0xff, 0xff])

/** ISO 32000-1, 7.6.3: algorithms 2, 3 and 4. */
function lockFor(password: string, id: Buffer): { dictionary: string; encrypt(object: number, data: Buffer): Buffer } {
  const owner = rc4(md5(padded(password)).subarray(0, 5), padded(password))
  const key = md5(padded(password), owner, PERMISSIONS, id).subarray(0, 5)
  const user = rc4(key, PADDING)
  return {
    dictionary: `<</Filter/Standard/V 1/R 2/O<${owner.toString('hex')}>/U<${user.toString('hex')}>/P -4>>`,
    encrypt: (object, data) => rc4(md5(key, Buffer.from([object & 255, object >> 8, 0, 0, 0])).subarray(0, 10), data),
  }
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const box = Uint8Array.from({ length: 256 }, (_, at) => at)
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + box[i]! + key[i % key.length]!) & 255
    ;[box[i], box[j]] = [box[j]!, box[i]!]
  }
  let i = 0
  let j = 0
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255
      j = (j + box[i]!) & 255
      ;[box[i], box[j]] = [box[j]!, box[i]!]
      return byte ^ box[(box[i]! + box[j]!) & 255]!
    }),
  )
}

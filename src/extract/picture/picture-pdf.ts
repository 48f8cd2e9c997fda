// Writes a PDF of one page that shows pictures in the compressions that PDF and other formats share.

export interface PlacedPicture {
  /** The entries of the image dictionary, except its kind and length. */
  dictionary: string
  data: Uint8Array
  width: number
  height: number
  /** Pixels from the left and the upper side of the page. */
  left: number
  top: number
}

export interface PicturePage {
  width: number
  height: number
  pictures: PlacedPicture[]
}

/** One point of the page is one pixel of the picture. */
export function writePicturePdf({ width, height, pictures }: PicturePage): Buffer {
  const file = createPdfFile()
  const names = pictures.map((_, at) => `/P${at} ${at + 4} 0 R`).join(' ')
  const drawing = pictures.map(
    (it, at) => `q ${it.width} 0 0 ${it.height} ${it.left} ${height - it.top - it.height} cm /P${at} Do Q`,
  )
  file.add('/Type /Catalog /Pages 2 0 R')
  // The content follows the pictures.
  const content = pictures.length + 4
  file.add('/Type /Pages /Kids [3 0 R] /Count 1')
  file.add(
    `/Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /XObject << ${names} >> >> /Contents ${content} 0 R`,
  )
  for (const { dictionary, data, ...it } of pictures)
    file.add(`/Type /XObject /Subtype /Image /Width ${it.width} /Height ${it.height} ${dictionary}`, data)
  file.add('', Buffer.from(drawing.join('\n')))
  return file.finish()
}

function createPdfFile(): { add(dictionary: string, stream?: Uint8Array): void; finish(): Buffer } {
  const chunks: Uint8Array[] = []
  const places: number[] = []
  let size = 0
  const write = (chunk: Uint8Array) => {
    chunks.push(chunk)
    size += chunk.length
  }
  write(Buffer.from('%PDF-1.7\n'))
  return {
    add(dictionary, stream) {
      places.push(size)
      if (stream === undefined) return write(Buffer.from(`${places.length} 0 obj << ${dictionary} >> endobj\n`))
      write(Buffer.from(`${places.length} 0 obj << ${dictionary} /Length ${stream.length} >> stream\n`))
      write(stream)
      write(Buffer.from('\nendstream endobj\n'))
    },
    finish() {
      const begin = size
      const table = places.map((it) => `${String(it).padStart(10, '0')} 00000 n \n`).join('')
      const count = places.length + 1
      write(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${table}`))
      write(Buffer.from(`trailer << /Size ${count} /Root 1 0 R >>\nstartxref\n${begin}\n%%EOF`))
      return Buffer.concat(chunks)
    },
  }
}

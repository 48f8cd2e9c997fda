// Builds multipart forms as bytes, valid or malformed.
export interface Part {
  field: string
  name?: string
  type?: string
  content: string | Buffer
}

export const BOUNDARY = 'pharos-test-boundary'
export const formHeaders = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

export function form(...parts: Part[]): Buffer {
  const pieces = parts.flatMap(({ field, name, type, content }) => {
    const file = name === undefined ? '' : `; filename="${name}"`
    const media = type === undefined ? '' : `Content-Type: ${type}\r\n`
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"${file}\r\n${media}\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

export const png: Part = {
  field: 'file',
  name: 'chart.png',
  type: 'image/png',
  content: Buffer.from([0x89, 0x50, 0x4e, 0x47]),
}

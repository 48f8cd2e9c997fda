// Tells from the first bytes of a picture how it is decoded.

export type PictureFormat = 'png' | 'jpeg' | 'tiff' | 'gif' | 'bmp'

export interface PictureSize {
  width: number
  height: number
}

/** Null if the pixels of this kind cannot be read. */
export function pictureFormatOf(bytes: Buffer): PictureFormat | null {
  const head = bytes.toString('latin1', 0, 8)
  if (head === '\x89PNG\r\n\x1a\n') return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (/^GIF8[79]a/.test(head)) return 'gif'
  if (head.startsWith('BM')) return 'bmp'
  return head.startsWith('II*\0') || head.startsWith('MM\0*') ? 'tiff' : null
}

// Maps Windows code pages to encodings of TextDecoder.

const ENCODING_OF_CODE_PAGE: Readonly<Record<number, string>> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1361: 'euc-kr',
  10000: 'macintosh',
  20866: 'koi8-r',
  21866: 'koi8-u',
  65001: 'utf-8',
}

export const encodingOfCodePage = (page: number): string =>
  ENCODING_OF_CODE_PAGE[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252')

/** Encoding for `\fcharsetN` of a font. */
export const ENCODING_OF_FONT_CHARSET: Readonly<Record<number, string>> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
}

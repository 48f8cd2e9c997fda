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

/** Code pages that are not Western European, by the language: the lower ten bits of a language id. */
const CODE_PAGE_OF_LANGUAGE: Readonly<Record<number, number>> = {
  1: 1256,
  2: 1251,
  4: 936,
  5: 1250,
  8: 1253,
  13: 1255,
  14: 1250,
  17: 932,
  18: 949,
  21: 1250,
  24: 1250,
  25: 1251,
  26: 1250,
  27: 1250,
  28: 1250,
  30: 874,
  31: 1254,
  34: 1251,
  35: 1251,
  36: 1250,
  37: 1257,
  38: 1257,
  39: 1257,
  41: 1256,
  42: 1258,
  47: 1251,
}
const TAIWAN = 0x404

export const encodingOfLanguage = (language: number): string =>
  encodingOfCodePage(language === TAIWAN ? 950 : (CODE_PAGE_OF_LANGUAGE[language & 0x3ff] ?? 1252))

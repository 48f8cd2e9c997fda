// The name of a page in small letters, without punctuation and without the number of its chapter.

const NUMBER =
  /^(?:(?:chapter|part|appendix|section|kapitel|teil|anhang|abschnitt|chapitre|partie|annexe)\s)?(?:[\dA-Z]{1,4}\.){1,8}\d{0,4}\s/i

export const withoutNumber = (title: string): string => title.trim().replace(NUMBER, '')

export const plainName = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_.+#]+/gu, ' ')
    .trim()

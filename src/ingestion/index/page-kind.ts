// Recognizes pages that hardly ever answer a question by themselves, by the form of their title and of their lines.
import { searchTitle } from '../../domain/document.ts'
import type { PageKind } from '../../domain/search/page-kind.ts'
import type { DocumentChange } from '../../store/documents/documents.ts'

type ExaminedPage = Pick<DocumentChange, 'title' | 'semantic_identifier' | 'source' | 'sections'>

export function recognizePageKind(page: ExaminedPage): PageKind | undefined {
  if (isChangesTitle(searchTitle(page))) return 'changes'
  // In a file or a ticket, short lines are notes. On a page of a site they are links.
  return page.source === 'web' && isList(firstLines(page)) ? 'list' : undefined
}

const MAX_TITLE = 200
/** In the languages of the interface and the largest others, after a number of a chapter or the name of a product. */
const CHANGES =
  /^(?:[\p{L}\d.]{1,12}\s)?(?:[\d.]{1,12}\s)?(?:release notes|release \d|change ?log\b|what[’']?s new\b|(?:release|version) history|versionshinweise|änderungsprotokoll|was ist neu\b|notes de version|nouveautés|journal des modifications|notas de la versión|registro de cambios|novedades)/iu

const isChangesTitle = (title: string): boolean => CHANGES.test(title.slice(0, MAX_TITLE).trim())

/** The text that is examined, in UTF-16 units. */
const MAX_EXAMINED = 20_000

function firstLines({ sections }: ExaminedPage): string[] {
  let text = ''
  for (const section of sections) {
    if (text.length > MAX_EXAMINED) break
    text += `${section.heading ?? ''}\n${section.text.slice(0, MAX_EXAMINED)}\n`
  }
  return text.split('\n').filter((it) => it.trim() !== '')
}

/** A page with fewer words says nothing about its form. */
const MIN_WORDS = 15
/** The largest share of words in sentences. */
const MAX_PROSE = 0.1
/** Words per line: of entries, and of entries that were all joined to one line. */
const SHORT_LINE = 3
const JOINED_LINES = 80
/** Entries may be longer if this share of them is in alphabetical or numerical order. */
const SORTED_LINE = 6
const MIN_SORTED = 0.8

/** Lines without sentences, which are very short, sorted, or all joined. */
function isList(lines: readonly string[]): boolean {
  if (isWithoutSpaces(lines.slice(0, 50).join(' '))) return false
  const forms = lines.map(formOfLine)
  const words = forms.reduce((sum, it) => sum + it.words, 0)
  const prose = forms.reduce((sum, it) => sum + (it.isProse ? it.words : 0), 0)
  if (words < MIN_WORDS || prose > words * MAX_PROSE) return false
  const average = words / lines.length
  return (
    average <= SHORT_LINE || average >= JOINED_LINES || (average <= SORTED_LINE && shareSorted(lines) >= MIN_SORTED)
  )
}

/** Words of these scripts cannot be counted by their spaces. */
const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/gu
const isWithoutSpaces = (text: string): boolean => (text.match(WITHOUT_SPACES)?.length ?? 0) * 10 > text.length

/** Fewer words are a heading, and a sentence rarely has more. */
const SENTENCE = { least: 6, most: 60 }

/** The full stop after a number or a single letter is no end of a sentence. */
const SENTENCE_END = /(?<=\p{L}\p{L}|[)\]"'”’])[.!?:;…]["'”’)\]]{0,3}(?=\s|$)/gu

function formOfLine(line: string): { words: number; isProse: boolean } {
  const words = line.trim().split(/\s+/).length
  const ends = line.match(SENTENCE_END)?.length ?? 0
  return { words, isProse: words >= SENTENCE.least && ends * SENTENCE.most >= words }
}

function shareSorted(lines: readonly string[]): number {
  const names = lines.map((it) => it.trim().toLowerCase())
  const inOrder = names.filter((name, at) => at > 0 && name >= (names[at - 1] ?? ''))
  return inOrder.length / Math.max(1, names.length - 1)
}

// RTF 1.9.1: the library cuts it into words, groups and bytes; here is decided which of them are text.

import { Readable } from 'node:stream'
import { Tokenize } from 'rtf-stream-parser'
import { type Chapters, createChapters, rowText } from './chapters.ts'
import { decodeAs } from './decode-text.ts'
import { checkTime, type Reader } from './reading.ts'
import { CHARSETS, codePage } from './rtf-code-pages.ts'

/** Groups that say something about the text instead of it. */
const SILENT = new Set(
  'fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator themedata colorschememapping datastore latentstyles pict object header headerl headerr headerf footer footerl footerr footerf xmlnstbl filetbl revtbl fldinst bkmkstart bkmkend private mmathPr docvar nonshppict'.split(
    ' ',
  ),
)
const INFO: Readonly<Record<string, 'title' | 'author'>> = { title: 'title', author: 'author' }
const CHARACTERS: Readonly<Record<string, string>> = {
  '~': '\u00a0',
  _: '-',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  tab: '\t',
  line: '\n',
  emspace: ' ',
  enspace: ' ',
}

interface Group {
  isSilent: boolean
  info: 'title' | 'author' | 'info' | null
  /** Characters that stand for a `\u` in programs that do not know it. */
  fallback: number
  codePage: string
}

export const readRtf: Reader = async (reading) => {
  const state = newState(createChapters(reading))
  let seen = 0
  for await (const token of Readable.from([reading.bytes]).pipe(new Tokenize())) {
    if ((++seen & 0xfff) === 0) checkTime(reading.budget)
    take(state, token)
  }
  flushBytes(state)
  endLine(state)
  state.chapters.end()
  reading.facts({ title: state.info.title.trim() || null, author: state.info.author.trim() || null })
}

interface State {
  group: Group
  stack: Group[]
  /** Bytes that wait for the ones that complete a character. */
  bytes: Buffer[]
  /** Of the characters that follow, so many stand for one that was already taken. */
  skip: number
  words: string
  cells: string[] | null
  /** The encoding of each font, where it has its own. */
  fonts: Map<number, string>
  font: number
  ansi: string
  info: Record<'title' | 'author', string>
  chapters: Chapters
}

const newState = (chapters: Chapters): State => ({
  group: { isSilent: false, info: null, fallback: 1, codePage: 'windows-1252' },
  stack: [],
  bytes: [],
  skip: 0,
  words: '',
  cells: null,
  fonts: new Map(),
  font: -1,
  ansi: 'windows-1252',
  info: { title: '', author: '' },
  chapters,
})

/** The library's `Token`, whose kinds are an enum that only its own compiler can read. */
interface Token {
  type: number
  word?: string
  data?: Buffer
  param?: number
}
const GROUP_START = 0
const GROUP_END = 1

function take(state: State, { type, word, data, param }: Token): void {
  if (type === GROUP_START || type === GROUP_END) {
    flushBytes(state)
    state.skip = 0
    if (type === GROUP_START) state.stack.push({ ...state.group })
    else state.group = state.stack.pop() ?? state.group
  } else if (word !== undefined && word !== "'") control(state, word, param ?? null)
  else if (data !== undefined) takeBytes(state, data)
}

/** Line ends in the file are of the file, not of the text. */
function takeBytes(state: State, data: Buffer): void {
  const bytes = data.filter((byte) => byte !== 0x0a && byte !== 0x0d)
  const from = Math.min(state.skip, bytes.length)
  state.skip -= from
  if (from < bytes.length && !isMute(state)) state.bytes.push(Buffer.from(bytes.subarray(from)))
}

const isMute = ({ group }: State): boolean => group.isSilent && (group.info === null || group.info === 'info')

function control(state: State, word: string, value: number | null): void {
  flushBytes(state)
  const { group } = state
  if (word === 'u') {
    if (state.skip === 0) addText(state, String.fromCharCode((value ?? 0) & 0xffff))
    state.skip = group.fallback
  } else if (word === 'uc') group.fallback = Math.min(Math.max(value ?? 1, 0), 100)
  else if (word === 'ansicpg') setAnsi(state, codePage(value ?? 1252))
  else if (word === 'mac') setAnsi(state, 'macintosh')
  else if (word === 'f') takeFont(state, value ?? 0)
  else if (word === 'fcharset') state.fonts.set(state.font, CHARSETS[value ?? 0] ?? '')
  else if (word === '*' || SILENT.has(word)) group.isSilent = true
  else if (word === 'info') Object.assign(group, { isSilent: true, info: 'info' })
  else if (group.info === 'info' && Object.hasOwn(INFO, word)) group.info = INFO[word] ?? null
  else if (word === 'shptxt') group.isSilent = false
  else structure(state, word)
}

function setAnsi(state: State, codePage: string): void {
  state.ansi = codePage
  state.group.codePage = codePage
}

/** In the table of fonts it says which one is described; in the text, which one is used. */
function takeFont(state: State, font: number): void {
  if (state.group.isSilent) state.font = font
  else state.group.codePage = state.fonts.get(font) || state.ansi
}

function structure(state: State, word: string): void {
  if (state.group.isSilent) return
  if (Object.hasOwn(CHARACTERS, word)) addText(state, CHARACTERS[word] ?? '')
  else if (word === 'cell' || word === 'nestcell') {
    state.cells ??= []
    state.cells.push(state.words)
    state.words = ''
  } else if (word === 'row' || word === 'nestrow') {
    state.chapters.line(rowText(state.cells ?? []))
    state.cells = null
    state.words = ''
  } else if (word === 'par' || word === 'sect' || word === 'page') {
    if (state.cells === null) endLine(state)
    else state.words += ' '
  }
}

function endLine(state: State): void {
  state.chapters.line(state.words)
  state.words = ''
}

function flushBytes(state: State): void {
  if (state.bytes.length === 0) return
  const text = decodeAs(state.group.codePage, Buffer.concat(state.bytes))
  state.bytes = []
  addText(state, text)
}

function addText(state: State, text: string): void {
  const { group, info } = state
  if (group.info === 'title' || group.info === 'author') info[group.info] = (info[group.info] + text).slice(0, 500)
  else if (!group.isSilent) state.words += text
}

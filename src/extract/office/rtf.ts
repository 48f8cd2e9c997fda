// Reads RTF 1.9.1. The library tokenizes; this file decides which tokens are text.

import { Readable } from 'node:stream'
import { Tokenize } from 'rtf-stream-parser'
import { rowLine } from '../../text/tables/row-line.ts'
import { checkDeadline, type FormatReader } from '../reader.ts'
import { createSectionWriter, type SectionWriter } from '../section-writer.ts'
import { decodeWith } from '../text/decode-text.ts'
import { ENCODING_OF_FONT_CHARSET, encodingOfCodePage } from './code-pages.ts'

/** Groups that contain no document text. */
const IGNORED_GROUPS = new Set(
  'fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator themedata colorschememapping datastore latentstyles pict object header headerl headerr headerf footer footerl footerr footerf xmlnstbl filetbl revtbl fldinst bkmkstart bkmkend private mmathPr docvar nonshppict'.split(
    ' ',
  ),
)
const INFO: Readonly<Record<string, 'title' | 'author'>> = { title: 'title', author: 'author' }
const SYMBOL_WORDS: Readonly<Record<string, string>> = {
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

interface RtfGroup {
  isIgnored: boolean
  info: 'title' | 'author' | 'info' | null
  /** Number of fallback characters after a `\u`. */
  fallback: number
  codePage: string
}

export const readRtf: FormatReader = async (context) => {
  const state = createState(createSectionWriter(context))
  let seen = 0
  for await (const token of Readable.from([context.bytes]).pipe(new Tokenize())) {
    if ((++seen & 0xfff) === 0) checkDeadline(context.budget)
    handleToken(state, token)
  }
  flushBytes(state)
  writeLine(state)
  state.chapters.end()
  context.facts({ title: state.info.title.trim() || null, author: state.info.author.trim() || null })
}

interface RtfState {
  group: RtfGroup
  stack: RtfGroup[]
  /** Bytes of an incomplete character. */
  bytes: Buffer[]
  /** Number of following fallback characters to skip. */
  skipCharacters: number
  words: string
  cells: string[] | null
  /** Encodings of fonts that have one. */
  fonts: Map<number, string>
  font: number
  defaultEncoding: string
  info: Record<'title' | 'author', string>
  chapters: SectionWriter
}

const createState = (chapters: SectionWriter): RtfState => ({
  group: { isIgnored: false, info: null, fallback: 1, codePage: 'windows-1252' },
  stack: [],
  bytes: [],
  skipCharacters: 0,
  words: '',
  cells: null,
  fonts: new Map(),
  font: -1,
  defaultEncoding: 'windows-1252',
  info: { title: '', author: '' },
  chapters,
})

/** The library's `Token`. Redeclared, because its types use an enum that cannot be imported. */
interface RtfToken {
  type: number
  word?: string
  data?: Buffer
  param?: number
}
const GROUP_START = 0
const GROUP_END = 1

function handleToken(state: RtfState, { type, word, data, param }: RtfToken): void {
  if (type === GROUP_START || type === GROUP_END) {
    flushBytes(state)
    state.skipCharacters = 0
    if (type === GROUP_START) state.stack.push({ ...state.group })
    else state.group = state.stack.pop() ?? state.group
  } else if (word !== undefined && word !== "'") handleControlWord(state, word, param ?? null)
  else if (data !== undefined) addBytes(state, data)
}

/** Line breaks in the file are not part of the text. */
function addBytes(state: RtfState, data: Buffer): void {
  const bytes = data.filter((byte) => byte !== 0x0a && byte !== 0x0d)
  const from = Math.min(state.skipCharacters, bytes.length)
  state.skipCharacters -= from
  if (from < bytes.length && !dropsText(state)) state.bytes.push(Buffer.from(bytes.subarray(from)))
}

const dropsText = ({ group }: RtfState): boolean => group.isIgnored && (group.info === null || group.info === 'info')

function handleControlWord(state: RtfState, word: string, value: number | null): void {
  flushBytes(state)
  const { group } = state
  if (word === 'u') {
    if (state.skipCharacters === 0) addText(state, String.fromCharCode((value ?? 0) & 0xffff))
    state.skipCharacters = group.fallback
  } else if (word === 'uc') group.fallback = Math.min(Math.max(value ?? 1, 0), 100)
  else if (word === 'ansicpg') setDefaultEncoding(state, encodingOfCodePage(value ?? 1252))
  else if (word === 'mac') setDefaultEncoding(state, 'macintosh')
  else if (word === 'f') setFont(state, value ?? 0)
  else if (word === 'fcharset') state.fonts.set(state.font, ENCODING_OF_FONT_CHARSET[value ?? 0] ?? '')
  else if (word === '*' || IGNORED_GROUPS.has(word)) group.isIgnored = true
  else if (word === 'info') Object.assign(group, { isSilent: true, info: 'info' })
  else if (group.info === 'info' && Object.hasOwn(INFO, word)) group.info = INFO[word] ?? null
  else if (word === 'shptxt') group.isIgnored = false
  else handleStructure(state, word)
}

function setDefaultEncoding(state: RtfState, codePage: string): void {
  state.defaultEncoding = codePage
  state.group.codePage = codePage
}

/** `\f` defines a font in the font table and selects one in the text. */
function setFont(state: RtfState, font: number): void {
  if (state.group.isIgnored) state.font = font
  else state.group.codePage = state.fonts.get(font) || state.defaultEncoding
}

function handleStructure(state: RtfState, word: string): void {
  if (state.group.isIgnored) return
  if (Object.hasOwn(SYMBOL_WORDS, word)) addText(state, SYMBOL_WORDS[word] ?? '')
  else if (word === 'cell' || word === 'nestcell') {
    state.cells ??= []
    state.cells.push(state.words)
    state.words = ''
  } else if (word === 'row' || word === 'nestrow') {
    state.chapters.line(rowLine(state.cells ?? []))
    state.cells = null
    state.words = ''
  } else if (word === 'par' || word === 'sect' || word === 'page') {
    if (state.cells === null) writeLine(state)
    else state.words += ' '
  }
}

function writeLine(state: RtfState): void {
  state.chapters.line(state.words)
  state.words = ''
}

function flushBytes(state: RtfState): void {
  if (state.bytes.length === 0) return
  const text = decodeWith(state.group.codePage, Buffer.concat(state.bytes))
  state.bytes = []
  addText(state, text)
}

function addText(state: RtfState, text: string): void {
  const { group, info } = state
  if (group.info === 'title' || group.info === 'author') info[group.info] = (info[group.info] + text).slice(0, 500)
  else if (!group.isIgnored) state.words += text
}

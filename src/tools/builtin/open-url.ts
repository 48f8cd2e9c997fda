// Opens web pages for a question. A passage may try to make the model send data to an address, so an address that is
// not in the question is opened only after the person confirms it.
import { z } from 'zod'
import type { Passage } from '../../domain/chat/passage.ts'
import { createSearchDoc, type SearchDoc } from '../../domain/chat/search-doc.ts'
import { AppError } from '../../domain/errors.ts'
import { detectWarnings } from '../../domain/injection/injection-scan.ts'
import { trimEndCharacters } from '../../domain/values/trim.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import type { Extraction, Extractor } from '../../extract/extract.ts'
import type { ToolRun } from '../tool.ts'
import { defineBuiltInTool } from './define-built-in-tool.ts'

export interface OpenUrlDeps {
  egress: Pick<Egress, 'fetch'>
  extractor: Pick<Extractor, 'extract'>
}

const MAX_URLS = 5
const MAX_BYTES = 10 << 20
const TIMEOUT_MS = 30_000
const MAX_PASSAGE = 4_000
const MAX_PASSAGES = 12

const Arguments = z.object({
  urls: z
    .preprocess(
      (it) => (typeof it === 'string' ? [it] : it),
      z.array(z.string().min(1).max(2_000)).min(1).max(MAX_URLS),
    )
    .describe('URLs of public pages or files, starting with https:// or http://.'),
})

export const openUrlTool = defineBuiltInTool({
  in_code_tool_id: 'OpenURLTool',
  name: 'open_url',
  display_name: 'Open URL',
  description: 'Reads pages of the web. Asks before it opens one that nobody has named in the question.',
  descriptionForModel: 'Opens public web pages and files and returns their text.',
  chat_selectable: false,
  default_enabled: true,
  arguments: Arguments,
  async call(deps: OpenUrlDeps, { urls }, run, { id, name }) {
    run.emit({ type: 'open_url_start' })
    run.emit({ type: 'open_url_urls', urls })
    const opened = await Promise.all(urls.map((url) => openPage(deps, { url, tool_id: id, tool_name: name }, run)))
    const passages = opened.flatMap((it) => it.passages)
    const documents = opened.flatMap((it) => it.passages.slice(0, 1).map((passage) => passage.document))
    run.emit({ type: 'open_url_documents', documents })
    return {
      text: opened.map((it) => it.text).join('\n'),
      passages,
      isError: opened.every((it) => it.passages.length === 0),
    }
  },
})

interface OpenedPage {
  text: string
  passages: Passage[]
}

async function openPage(
  { egress, extractor }: OpenUrlDeps,
  { url, tool_id, tool_name }: { url: string; tool_id: number; tool_name: string },
  run: ToolRun,
): Promise<OpenedPage> {
  const { signal } = run
  const withoutPassages = (text: string): OpenedPage => ({ text: `${url}: ${text}`, passages: [] })
  if (!URL.canParse(url)) return withoutPassages('This is not a valid URL.')
  if (!isUrlInQuestion(url, run.question)) {
    const isAgreed = await run.confirm({ tool_id, tool_name, method: 'GET', url, tool_args: { url } })
    if (!isAgreed) return withoutPassages('The person did not allow opening this URL. Do not try again.')
  }
  try {
    const answer = await egress.fetch(url, {
      headers: { accept: 'text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.5' },
      profile: 'public-only',
      asker: { kind: 'tool', id: tool_id },
      limits: { bytes: MAX_BYTES, timeoutMs: TIMEOUT_MS },
      signal,
    })
    const bytes = await answer.bytes()
    if (answer.status >= 400) return withoutPassages(`The server responded with status ${answer.status}.`)
    const media_type = answer.headers['content-type'] ?? null
    const found = await extractor.extract({ source: { bytes }, file_name: fileName(answer.url), media_type, signal })
    const passages = splitIntoPassages(answer.url, found)
    return passages.length === 0
      ? withoutPassages('It contains no readable text.')
      : { ...withoutPassages('Opened.'), passages }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EgressError || error instanceof AppError) return withoutPassages(error.message)
    throw error
  }
}

/** Whether the question contains the URL, in any equivalent spelling. */
export function isUrlInQuestion(url: string, question: string): boolean {
  const wanted = URL.parse(url)
  if (wanted === null) return false
  const mentioned = question.match(/https?:\/\/[^\s<>"']+/gi) ?? []
  return mentioned
    .flatMap((it) => [it, trimEndCharacters(it, '.,;:!?)]')])
    .some((it) => isSameUrl(URL.parse(it), wanted))
}

const isSameUrl = (one: URL | null, other: URL) =>
  one !== null && one.origin === other.origin && one.pathname === other.pathname && one.search === other.search

const fileName = (url: string): string => new URL(url).pathname.split('/').at(-1) || 'index.html'

/** Splits a page into passages that can be cited, each with a link to its anchor. */
function splitIntoPassages(url: string, { title, sections, metadata }: Extraction): Passage[] {
  const pieces: { text: string; anchor: string | null }[] = []
  for (const { heading, text, anchor } of sections) {
    const whole = heading === null ? text : `${heading}\n${text}`
    const last = pieces.at(-1)
    if (last !== undefined && last.text.length + whole.length < MAX_PASSAGE / 2) last.text += `\n\n${whole}`
    else
      for (let at = 0; at < whole.length; at += MAX_PASSAGE)
        pieces.push({ text: whole.slice(at, at + MAX_PASSAGE), anchor })
  }
  const document = pageDocument(url, title, metadata.modified, pieces[0]?.text ?? '')
  return pieces.slice(0, MAX_PASSAGES).map(({ text, anchor }, at) => ({
    document,
    text: text.toWellFormed(),
    chunk_inds: [at, at],
    link: anchor === null ? url : `${url.split('#')[0]}#${anchor}`,
    warnings: detectWarnings(text),
  }))
}

const pageDocument = (url: string, title: string | null, modified: string | null, text: string): SearchDoc =>
  createSearchDoc({
    document_id: url,
    semantic_identifier: title ?? url,
    link: url,
    blurb: text.slice(0, 280).toWellFormed(),
    source_type: 'web',
    updated_at: modified,
    is_internet: true,
  })

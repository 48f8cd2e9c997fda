// A page of the web, read for a question. Who wrote a passage may want the model to carry what it knows to an address:
// one that the person has not named is opened only when the person agrees.
import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import type { Passage } from '../domain/passage.ts'
import { warningsOf } from '../domain/screen.ts'
import { type SearchDoc, searchDocOf } from '../domain/search-doc.ts'
import { type Egress, EgressError } from '../egress/egress.ts'
import type { Extraction, Extractor } from '../extract/extract.ts'
import type { StoredTool } from '../store/tools.ts'
import { callable } from './callable.ts'
import type { Callable, ToolRun } from './tool.ts'

export interface OpenUrlNeeds {
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
    .describe('Addresses of public pages or files, beginning with https:// or http://.'),
})

export const openUrlTool = (needs: OpenUrlNeeds, { id, name }: StoredTool): Callable =>
  callable({
    name: 'open_url',
    description: 'Opens pages and files of the public web and answers what they say.',
    arguments: Arguments,
    async call({ urls }, run) {
      run.emit({ type: 'open_url_start' })
      run.emit({ type: 'open_url_urls', urls })
      const opened = await Promise.all(urls.map((url) => open(needs, { url, tool_id: id, tool_name: name }, run)))
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

interface Opened {
  text: string
  passages: Passage[]
}

async function open(
  { egress, extractor }: OpenUrlNeeds,
  { url, tool_id, tool_name }: { url: string; tool_id: number; tool_name: string },
  run: ToolRun,
): Promise<Opened> {
  const { signal } = run
  const said = (text: string): Opened => ({ text: `${url}: ${text}`, passages: [] })
  if (!URL.canParse(url)) return said('This is not an address.')
  if (!isNamed(url, run.question)) {
    const isAgreed = await run.confirm({ tool_id, tool_name, method: 'GET', url, tool_args: { url } })
    if (!isAgreed) return said('The person did not agree to open it. Do not try it again.')
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
    if (answer.status >= 400) return said(`It answers ${answer.status}.`)
    const media_type = answer.headers['content-type'] ?? null
    const found = await extractor.extract({ source: { bytes }, file_name: fileName(answer.url), media_type, signal })
    const passages = passagesOf(answer.url, found)
    return passages.length === 0 ? said('No text could be read there.') : { ...said('It was opened.'), passages }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EgressError || error instanceof AppError) return said(error.message)
    throw error
  }
}

/** As the person wrote it, in whatever spelling of the same address. */
export function isNamed(url: string, question: string): boolean {
  const wanted = URL.parse(url)
  if (wanted === null) return false
  const named = question.match(/https?:\/\/[^\s<>"']+/gi) ?? []
  return named.flatMap((it) => [it, it.replace(/[.,;:!?)\]]+$/, '')]).some((it) => isSame(URL.parse(it), wanted))
}

const isSame = (one: URL | null, other: URL) =>
  one !== null && one.origin === other.origin && one.pathname === other.pathname && one.search === other.search

const fileName = (url: string): string => new URL(url).pathname.split('/').at(-1) || 'index.html'

/** Pieces that can be cited by themselves, each with the address of its place in the page. */
function passagesOf(url: string, { title, sections, metadata }: Extraction): Passage[] {
  const pieces: { text: string; anchor: string | null }[] = []
  for (const { heading, text, anchor } of sections) {
    const whole = heading === null ? text : `${heading}\n${text}`
    const last = pieces.at(-1)
    if (last !== undefined && last.text.length + whole.length < MAX_PASSAGE / 2) last.text += `\n\n${whole}`
    else
      for (let at = 0; at < whole.length; at += MAX_PASSAGE)
        pieces.push({ text: whole.slice(at, at + MAX_PASSAGE), anchor })
  }
  const document = documentOf(url, title, metadata.modified, pieces[0]?.text ?? '')
  return pieces.slice(0, MAX_PASSAGES).map(({ text, anchor }, at) => ({
    document,
    text: text.toWellFormed(),
    chunk_inds: [at, at],
    link: anchor === null ? url : `${url.split('#')[0]}#${anchor}`,
    warnings: warningsOf(text),
  }))
}

const documentOf = (url: string, title: string | null, modified: string | null, text: string): SearchDoc =>
  searchDocOf({
    document_id: url,
    semantic_identifier: title ?? url,
    link: url,
    blurb: text.slice(0, 280).toWellFormed(),
    source_type: 'web',
    updated_at: modified,
    is_internet: true,
  })

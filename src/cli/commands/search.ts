import { searchDocuments } from '../../client/operations.ts'
import type { SearchRequest, SearchResponse, SearchResult } from '../../client/schemas.ts'
import { CommandError, defineCommand, parseWholeNumber, SERVICE_OPTIONS, somePositionals } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { type Terminal, toPlainText } from '../terminal.ts'

const DEFAULT_HITS = 10

export const search = defineCommand({
  name: 'search',
  summary: 'Searches documents, best first.',
  usage: 'QUERY… [options]',
  positionals: somePositionals,
  options: {
    ...SERVICE_OPTIONS,
    limit: { type: 'string', value: 'N', help: `maximum number of documents (default: ${DEFAULT_HITS})` },
    offset: { type: 'string', value: 'N', help: 'number of top results to skip' },
    source: {
      type: 'string',
      multiple: true,
      value: 'SOURCE',
      help: 'only documents from this source; can be repeated',
    },
    set: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'only documents in this document set; can be repeated',
    },
    tag: {
      type: 'string',
      multiple: true,
      value: 'KEY=VALUE',
      help: 'only documents with this tag; can be repeated',
    },
    all: { type: 'boolean', help: 'what contains some of the words too, if nothing answers the query' },
    since: { type: 'string', value: 'DATE', help: 'only documents updated since this date, such as 2026-01-31' },
  },
  help: `Finds documents that the key may read. Exits with 0 even if nothing is found; scripts can check .total with --json.

  pharos search how many holidays
  pharos search '"parental leave"' --source wiki --since 2026-01-01
  pharos search budget --tag team=finance --limit 50 --json`,
  async run({ terminal, connect, signal }, { values, positionals }) {
    const { api } = connect(values)
    const offset = parseWholeNumber(values.offset, 'offset', { min: 0, max: 10_000 }) ?? 0
    const body: SearchRequest = {
      query: positionals.join(' '),
      num_hits: parseWholeNumber(values.limit, 'limit', { min: 1, max: 1_000 }) ?? DEFAULT_HITS,
      offset,
      sources: values.source,
      document_sets: values.set,
      tags: values.tag?.map(parseTag),
      time_cutoff: values.since,
      ...(values.all === true && { answers_only: false }),
    }
    const found = await searchDocuments(api, { body, signal })
    if (values.json === true) {
      terminal.json(found)
      return 0
    }
    for (const it of found.results) terminal.print(formatResult(it, terminal))
    terminal.note(formatSummary(found, offset))
    for (const it of found.closest)
      terminal.note(`   ${toPlainText(it.semantic_identifier)} · ${toPlainText(it.link ?? it.document_id)}`)
    return 0
  },
})

function formatSummary({ results, closest, total, total_relation, took_ms }: SearchResponse, offset: number): string {
  const within = `in ${Math.round(took_ms)} ms`
  const counted = `${total_relation === 'gte' ? 'at least ' : ''}${total.toLocaleString('en')}`
  if (results.length > 0) return `${offset + 1} to ${offset + results.length} of ${counted}, ${within}.`
  if (offset > 0 && total > 0) return `No more documents: the search found ${counted}, ${within}.`
  if (closest.length > 0)
    return `Nothing answers this, ${within}. --all shows what contains some of the words. Closest:`
  return `No document was found, ${within}. "pharos help search" describes the options that restrict a search.`
}

function parseTag(text: string): { tag_key: string; tag_value: string } {
  const at = text.indexOf('=')
  if (at < 1) throw new CommandError(EXIT.usage, `--tag must be KEY=VALUE, not "${text}".`)
  return { tag_key: text.slice(0, at), tag_value: text.slice(at + 1) }
}

function formatResult(it: SearchResult, terminal: Terminal): string {
  const head = `${it.citation_id}. ${terminal.bold(toPlainText(it.semantic_identifier))}`
  const facts = [toPlainText(it.source_type), it.updated_at.slice(0, 10), toPlainText(it.link ?? it.document_id)]
  return `${head}\n   ${facts.join(' · ')}\n   ${highlightBlurb(it, terminal)}\n`
}

/** Offsets refer to the original text, so it is split before it is escaped. */
function highlightBlurb({ blurb, highlights }: SearchResult, terminal: Terminal): string {
  let text = ''
  let end = 0
  for (const [from = 0, to = 0] of highlights) {
    text += toPlainText(blurb.slice(end, from)) + terminal.bold(toPlainText(blurb.slice(from, to)))
    end = to
  }
  return text + toPlainText(blurb.slice(end))
}

import { postSearch } from '../client/operations.ts'
import type { SearchRequest, SearchResult } from '../client/schemas.ts'
import { CommandError, command, ONLINE_OPTIONS, wholeNumber } from './command.ts'
import { EXIT } from './exit-code.ts'
import { plain, type Terminal } from './terminal.ts'

const DEFAULT_HITS = 10

export const search = command({
  name: 'search',
  summary: 'Finds documents, best first.',
  usage: 'QUERY… [options]',
  words: { min: 1, max: Number.POSITIVE_INFINITY },
  options: {
    ...ONLINE_OPTIONS,
    limit: { type: 'string', value: 'N', help: `how many documents (${DEFAULT_HITS})` },
    offset: { type: 'string', value: 'N', help: 'how many to leave out from the top' },
    source: {
      type: 'string',
      multiple: true,
      value: 'SOURCE',
      help: 'only documents of this source; may be given again',
    },
    set: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'only documents of this document set; may be given again',
    },
    tag: {
      type: 'string',
      multiple: true,
      value: 'KEY=VALUE',
      help: 'only documents with this metadata; may be given again',
    },
    since: { type: 'string', value: 'DATE', help: 'only documents updated since then, such as 2026-01-31' },
  },
  help: `Shows what the key may see and no more.

  pharos search how many holidays
  pharos search '"parental leave"' --source wiki --since 2026-01-01
  pharos search budget --tag team=finance --limit 50 --json`,
  async run({ terminal, connect, signal }, { values, words }) {
    const { api } = connect(values)
    const offset = wholeNumber(values.offset, 'offset', { min: 0, max: 10_000 }) ?? 0
    const body: SearchRequest = {
      query: words.join(' '),
      num_hits: wholeNumber(values.limit, 'limit', { min: 1, max: 1_000 }) ?? DEFAULT_HITS,
      offset,
      sources: values.source,
      document_sets: values.set,
      tags: values.tag?.map(tagOf),
      time_cutoff: values.since,
    }
    const found = await postSearch(api, { body, signal })
    if (values.json === true) {
      terminal.json(found)
      return 0
    }
    for (const it of found.results) terminal.say(shown(it, terminal))
    const total = `${found.total_relation === 'gte' ? 'at least ' : ''}${found.total.toLocaleString('en')}`
    terminal.note(
      `${found.results.length === 0 ? 'Nothing' : `${offset + 1} to ${offset + found.results.length}`} of ${total}, in ${Math.round(found.took_ms)} ms.`,
    )
    return 0
  },
})

function tagOf(text: string): { tag_key: string; tag_value: string } {
  const at = text.indexOf('=')
  if (at < 1) throw new CommandError(EXIT.usage, `--tag must be KEY=VALUE, not "${text}".`)
  return { tag_key: text.slice(0, at), tag_value: text.slice(at + 1) }
}

function shown(it: SearchResult, terminal: Terminal): string {
  const head = `${it.citation_id}. ${terminal.strong(plain(it.semantic_identifier))}`
  const facts = [plain(it.source_type), it.updated_at.slice(0, 10), plain(it.link ?? it.document_id)]
  return `${head}\n   ${facts.join(' · ')}\n   ${highlighted(it, terminal)}\n`
}

/** Offsets are those of the blurb as it came, so it is cut before it is made plain. */
function highlighted({ blurb, highlights }: SearchResult, terminal: Terminal): string {
  let text = ''
  let end = 0
  for (const [from = 0, to = 0] of highlights) {
    text += plain(blurb.slice(end, from)) + terminal.strong(plain(blurb.slice(from, to)))
    end = to
  }
  return text + plain(blurb.slice(end))
}

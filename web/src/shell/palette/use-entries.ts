// The offers of the palette for a text: pages, sources, people, documents and recent searches.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { listUsers } from '../../../../src/client/operations.ts'
import { allowedPages } from '../../admin/admin-pages.ts'
import { api } from '../../api.ts'
import { suggestQuery } from '../../pages/search/suggestions.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { sourceLabel } from '../../parts/text.tsx'
import { useReadableSources } from '../../parts/use-readable-sources.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'

export type EntryGroup = 'search' | 'recent' | 'pages' | 'sources' | 'people' | 'documents'

export interface Entry {
  key: string
  group: EntryGroup
  icon: IconName
  /** The kind of source, whose symbol takes the place of the icon. */
  source?: string
  label: string
  run: () => void
}

const MAX_IN_GROUP = 5
/** The pages that everybody has fit in. */
const MAX_PAGES = 8
/** Shorter texts match too many people. */
const MIN_PERSON = 2

export function useEntries(text: string): Entry[] {
  const words = useDeferredValue(text.trim())
  const search = useSearchFor()
  const { recent, documents } = useSuggested(words, search)
  const entries = [useNamedPages(), useSources(search)].map((it) => it.filter(({ label }) => hasWords(label, words)))
  const [pages = [], sources = []] = entries
  const people = usePeople(words, search)
  const [shownRecent = [], ...groups] = [recent, sources, people, documents].map((it) => it.slice(0, MAX_IN_GROUP))
  return [...searchEntry(words, search), ...shownRecent, ...pages.slice(0, MAX_PAGES), ...groups.flat()]
}

type Search = (q: string) => void

function useSearchFor(): Search {
  const navigate = useNavigate()
  return (q) => void navigate({ to: '/', search: { q } })
}

function searchEntry(words: string, search: Search): Entry[] {
  if (words === '') return []
  const label = textsOf('palette')('search_for', { query: words })
  return [{ key: 'search', group: 'search', icon: 'search', label, run: () => search(words) }]
}

/** Each word of the text begins a word of the label. */
function hasWords(label: string, text: string): boolean {
  const inLabel = label.toLowerCase().split(/[\s-]/)
  const wanted = text.toLowerCase().split(/\s/).filter(Boolean)
  return wanted.every((word) => inLabel.some((it) => it.startsWith(word)))
}

function useNamedPages(): Entry[] {
  const t = textsOf('shell')
  const navigate = useNavigate()
  const me = useMe()
  const page = (label: string, icon: IconName, to: string): Entry => ({
    ...{ key: `page ${to}`, group: 'pages', icon, label },
    run: () => void navigate({ to }),
  })
  const names = textsOf('admin.pages')
  return [
    page(t('search'), 'search', '/'),
    ...(hasPermission(me, 'chat')
      ? [
          page(t('chat'), 'chat', '/chat'),
          page(t('agents'), 'thought', '/agents'),
          page(t('projects'), 'document', '/projects'),
        ]
      : []),
    ...(hasPermission(me, 'search')
      ? [page(t('sources'), 'document', '/sources'), page(t('own_documents'), 'document', '/my-documents')]
      : []),
    ...(hasPermission(me, 'pats') ? [page(t('account'), 'key', '/account')] : []),
    ...allowedPages(me).map(({ name }) => page(names(name), 'tool', `/admin/${name}`)),
  ]
}

function useSources(search: Search): Entry[] {
  return useReadableSources().map((source) => ({
    ...{ key: `source ${source}`, group: 'sources', icon: 'filter', source, label: sourceLabel(source) },
    run: () => search(`source:${quoted(source)}`),
  }))
}

function usePeople(words: string, search: Search): Entry[] {
  const isAllowed = hasPermission(useMe(), 'admin') && words.length >= MIN_PERSON
  const { data } = useQuery({
    queryKey: ['people', 'suggested', words],
    queryFn: ({ signal }) => listUsers(api, { q: words, signal }),
    enabled: isAllowed,
    placeholderData: keepPreviousData,
  })
  if (!isAllowed) return []
  return (data?.items ?? []).map(({ id, email }) => ({
    ...{ key: `person ${id}`, group: 'people', icon: 'pen', label: email },
    run: () => search(`author:${quoted(email)}`),
  }))
}

/** Operators end at a space, unless their value is in quotes. */
const quoted = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

function useSuggested(words: string, search: Search): { recent: Entry[]; documents: Entry[] } {
  const { data } = useQuery({ ...suggestQuery(words), placeholderData: keepPreviousData })
  const recent = (data?.recent ?? []).map(
    (it): Entry => ({ key: `recent ${it}`, group: 'recent', icon: 'history', label: it, run: () => search(it) }),
  )
  const documents = (data?.titles ?? []).map(({ document_id, title, link, source_type: source }): Entry => {
    const href = safeHref(link)
    const open = () => void window.open(href, '_blank', 'noopener,noreferrer')
    return {
      ...{ key: `document ${document_id}`, group: 'documents', icon: 'document', source, label: title },
      run: href === undefined ? () => search(`title:${quoted(title)}`) : open,
    }
  })
  return { recent, documents }
}

// Where a document is in its source.
import { isOwnLink, linkBreadcrumb, safeHref } from '../../parts/safe-link.ts'
import type { Hit } from './use-results.ts'

/** Metadata that names what the document is in, the largest first. */
const CONTAINERS = [
  'repository',
  'bucket',
  'site',
  'drive',
  'space',
  'project',
  'mailbox',
  'channel',
  'folder',
] as const
/** Metadata that holds where the document is, as its site says. */
const BREADCRUMB = 'breadcrumb'
/** Metadata that holds a path whose last part is the document itself. */
const PATHS = ['path', 'key'] as const

/** "handbook › people › leave"; null if nothing is known. The link stands in for metadata. */
export function placeOf({ metadata, link }: Pick<Hit, 'metadata' | 'link'>): string | null {
  const breadcrumb = metadata[BREADCRUMB]
  if (Array.isArray(breadcrumb) && breadcrumb.length > 0) return breadcrumb.join(' › ')
  const containers = CONTAINERS.map((it) => metadata[it]).filter((it) => typeof it === 'string')
  const path = PATHS.map((it) => metadata[it]).find((it) => typeof it === 'string')
  const folders = path?.split('/').filter(Boolean).slice(0, -1) ?? []
  const place = [...containers, ...folders]
  if (place.length > 0) return place.join(' › ')
  const href = safeHref(link)
  return href === undefined || isOwnLink(href) ? null : linkBreadcrumb(href)
}

const SHOWN_IN_PLACE: ReadonlySet<string> = new Set([...CONTAINERS, ...PATHS, BREADCRUMB])

/** The metadata that the place does not show. */
export const otherMetadata = ({ metadata }: Pick<Hit, 'metadata'>): [name: string, value: string | string[]][] =>
  Object.entries(metadata).filter(([name]) => !SHOWN_IN_PLACE.has(name))

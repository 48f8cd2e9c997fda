// The parts of the page of a document. The part is in the address, so that it can be shared and the text is read on demand.
import { Link } from '@tanstack/react-router'
import { textsOf } from '../../text/texts.ts'

const PARTS = ['state', 'text', 'passages', 'readers', 'why'] as const
export type PartName = (typeof PARTS)[number]
const FOR_ADMINISTRATORS: readonly PartName[] = ['readers', 'why']

const partsFor = (isAdministrator: boolean): readonly PartName[] =>
  PARTS.filter((it) => isAdministrator || !FOR_ADMINISTRATORS.includes(it))

/** An unknown part is the first one. */
export const readPart = (text: unknown, isAdministrator: boolean): PartName =>
  partsFor(isAdministrator).find((it) => it === text) ?? 'state'

export function DocumentParts({ id, isAdministrator }: { id: string; isAdministrator: boolean }) {
  const t = textsOf('admin.documents.parts')
  return (
    <nav className="document-parts" aria-label={t('label')}>
      {partsFor(isAdministrator).map((part) => (
        <Link
          key={part}
          to="/admin/$page/{-$id}"
          params={{ page: 'documents', id }}
          search={part === 'state' ? {} : { part }}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          activeProps={{ 'aria-current': 'page' }}
          resetScroll={false}
        >
          {t(part)}
        </Link>
      ))}
    </nav>
  )
}

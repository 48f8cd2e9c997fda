// The first documents with their readers, and what would be left out and why.
import { Alert } from '@mantine/core'
import type { ConnectorPreview } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { EmptyState } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

type Document = ConnectorPreview['documents'][number]

export function PreviewResult({ preview }: { preview: ConnectorPreview }) {
  const t = textsOf('admin.add_connector')
  const { documents, skipped, failures, warnings, is_complete, error } = preview
  const left = [
    ...skipped.map((it) => ({ ...it, title: it.document_id, text: it.reason })),
    ...failures.map((it) => ({ ...it, title: it.document_id ?? it.link ?? '', text: it.message })),
  ]
  return (
    <>
      <h3 className="preview-title">{t('preview_title')}</h3>
      {error !== null && <Note color="red" text={error} />}
      {warnings.map((it) => (
        <Note key={it} color="yellow" text={it} />
      ))}
      {documents.length === 0 && error === null && (
        <EmptyState icon="document" title={t('no_documents')}>
          {t('no_documents_help')}
        </EmptyState>
      )}
      {documents.length > 0 && (
        <>
          <p className="small dimmed">
            {is_complete
              ? t('all_documents', { count: documents.length })
              : t('first_documents', { count: documents.length })}
          </p>
          <DocumentTable documents={documents} />
        </>
      )}
      {left.length > 0 && <LeftOut left={left} />}
    </>
  )
}

const Note = ({ color, text }: { color: string; text: string }) => (
  <Alert variant="light" color={color} icon={<Icon name="alert" />}>
    <bdi>{text}</bdi>
  </Alert>
)

function DocumentTable({ documents }: { documents: readonly Document[] }) {
  const t = textsOf('admin.add_connector')
  return (
    <RecordTable
      label={t('preview_title')}
      rows={documents}
      keyOf={(it) => it.document_id}
      columns={[
        { label: t('document'), className: 'long-text', cell: (it) => <DocumentCell document={it} /> },
        { label: t('readers'), className: 'long-text', cell: (it) => <Readers access={it.external_access} /> },
        { label: t('characters'), className: 'nowrap', cell: (it) => formatCount(it.characters) },
      ]}
    />
  )
}

function DocumentCell({ document }: { document: Document }) {
  const href = safeHref(document.link)
  const title = <bdi dir="auto">{document.semantic_identifier}</bdi>
  return (
    <>
      {href === undefined ? (
        title
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {title}
        </a>
      )}
      <details className="small">
        <summary className="dimmed">{textsOf('admin.add_connector')('beginning')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
        <p className="preview-text" dir="auto" tabIndex={0}>
          {document.beginning}
        </p>
      </details>
    </>
  )
}

const MAX_READERS = 8

function Readers({ access }: { access: Document['external_access'] }) {
  const t = textsOf('admin.add_connector')
  if (access === null) return t('readers_of_connector')
  if (access.is_public) return t('readers_everyone')
  const names = [
    ...access.external_user_emails,
    ...access.external_user_group_ids.map((group) => t('group', { group })),
  ]
  if (names.length === 0) return t('readers_nobody')
  const more = names.length - MAX_READERS
  return (
    <ul className="preview-readers small">
      {names.slice(0, MAX_READERS).map((it) => (
        <li key={it} dir="auto">
          {it}
        </li>
      ))}
      {more > 0 && <li>{t('more_readers', { count: more })}</li>}
    </ul>
  )
}

function LeftOut({ left }: { left: readonly { title: string; text: string }[] }) {
  const t = textsOf('admin.add_connector')
  return (
    <details>
      <summary>{t('left_out', { count: left.length })}</summary>
      <RecordTable
        label={t('left_out', { count: left.length })}
        rows={left.map((it, at) => ({ ...it, at }))}
        keyOf={(it) => it.at}
        columns={[
          { label: t('document'), className: 'long-text', cell: (it) => <bdi dir="auto">{it.title}</bdi> },
          { label: t('reason'), className: 'long-text', cell: (it) => <bdi dir="auto">{it.text}</bdi> },
        ]}
      />
    </details>
  )
}

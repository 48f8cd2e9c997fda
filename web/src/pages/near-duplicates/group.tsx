import { Button } from '@mantine/core'
import { useState } from 'react'
import type { NearDuplicate, NearDuplicateGroup } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { useHideDocument, useRemoveDocument } from '../../parts/document-acts/document-acts.ts'
import { RemoveDialog } from '../../parts/document-acts/remove-dialog.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { listText, pairLabel, sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const MAX_OWNERS = 3

export function Group({ group: { size, documents } }: { group: NearDuplicateGroup }) {
  const t = textsOf('admin.near_duplicates')
  return (
    <li>
      <h3>{t('size', { count: size })}</h3>
      <ul className="near-members">
        {documents.map((it) => (
          <Member key={it.document_id} document={it} />
        ))}
      </ul>
      {size > documents.length && <p className="small dimmed">{t('others', { count: size - documents.length })}</p>}
    </li>
  )
}

function Member({ document }: { document: NearDuplicate }) {
  const { document_id, semantic_identifier, source, cc_pairs, owners, updated_at } = document
  const t = textsOf('admin.near_duplicates')
  const href = safeHref(document.link)
  return (
    <li>
      <div>
        <div className="row">
          <AdminLink page="documents" id={document_id}>
            <bdi>{semantic_identifier}</bdi>
          </AdminLink>
          {href !== undefined && (
            <a
              className="small"
              href={href}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t('in_source_of', { title: semantic_identifier })}
            >
              {textsOf('reader')('in_source')}
            </a>
          )}
        </div>
        <div className="near-facts small dimmed">
          <span className="near-source">
            <SourceIcon source={source} size={18} />
            <bdi>{sourceLabel(source)}</bdi>
          </span>
          {cc_pairs.length > 0 && <bdi>{listText(cc_pairs.map(pairLabel))}</bdi>}
          <span>{textsOf('search.results').rich('updated', { time: () => <Time at={updated_at} /> })}</span>
          <bdi>
            {owners.length === 0
              ? t('no_owner')
              : textsOf('search.results')('by', { people: listText(owners.slice(0, MAX_OWNERS)) })}
          </bdi>
        </div>
      </div>
      <MemberActions id={document_id} title={semantic_identifier} />
    </li>
  )
}

/** A document that was hidden or deleted leaves the list with the next answer. */
function MemberActions({ id, title }: { id: string; title: string }) {
  const t = textsOf('admin.near_duplicates')
  const hide = useHideDocument(id, title)
  const remove = useRemoveDocument(id, title)
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <div className="near-actions">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('hide_of', { title })}
          loading={hide.isPending}
          onClick={() => hide.mutate(true)}
        >
          {textsOf('admin.documents.one')('hide')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          c="var(--mantine-color-error)"
          aria-label={t('delete_of', { title })}
          onClick={() => setIsAsking(true)}
        >
          {textsOf('parts')('delete')}
        </Button>
      </div>
      {hide.error !== null && <ErrorAlert error={hide.error} />}
      {isAsking && <RemoveDialog title={title} remove={remove} onClose={() => setIsAsking(false)} />}
    </>
  )
}

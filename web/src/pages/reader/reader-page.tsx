// The text of a document, opened where a search found it, with the way to its original.
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { readDocument } from '../../../../src/client/operations.ts'
import type { DocumentText } from '../../../../src/client/schemas.ts'
import { api, isNotFound } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatBytes, listText, sourceLabel, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { VerificationMark } from '../../parts/verification/verification-mark.tsx'
import { VerifyControl } from '../../parts/verification/verify-control.tsx'
import { textsOf } from '../../text/texts.ts'
import { Outline } from '../search/outline.tsx'
import { ReaderText } from './reader-text.tsx'
import './reader.css'

type Turn = { after?: string; before?: string }
const opened = (): Turn => ({})

export function ReaderPage() {
  const t = textsOf('reader')
  const { id, chunk, section } = useSearch({ from: '/signed-in/document' })
  const navigate = useNavigate({ from: '/document' })
  const place = { ...(chunk !== undefined && { chunk }), ...(section !== undefined && { section }) }
  const text = useInfiniteQuery({
    queryKey: ['reader', id, place],
    queryFn: ({ signal, pageParam }) =>
      readDocument(api, { document_id: id, ...(isOpening(pageParam) ? place : pageParam), signal }),
    initialPageParam: opened(),
    getNextPageParam: (last) => (last.next_after === null ? undefined : { after: last.next_after }),
    getPreviousPageParam: (first) => (first.previous_before === null ? undefined : { before: first.previous_before }),
    retry: false,
    enabled: id !== '',
  })
  const first = text.data?.pages.find((it) => it.passage !== null) ?? text.data?.pages[0]
  useTitle(first?.title ?? t('document'))
  if (id === '' || isNotFound(text.error)) return <Missing />
  if (text.isError || first === undefined)
    return (
      <div className="stack">
        <h1>{t('document')}</h1>
        {text.isError ? (
          <ErrorAlert error={text.error} retry={() => void text.refetch()} />
        ) : (
          <LoadingSkeleton lines={10} />
        )}
      </div>
    )
  return (
    <div className="stack reader">
      <Head document={first} />
      <div className="reader-body">
        <div className="stack">
          <ReaderText key={JSON.stringify(place)} opened={first} text={text} section={section} />
        </div>
        <Outline
          document={id}
          current={section ?? null}
          onJump={(to) => void navigate({ search: { id, section: to } })}
        />
      </div>
    </div>
  )
}

const isOpening = ({ after, before }: Turn): boolean => after === undefined && before === undefined

function Missing() {
  const t = textsOf('reader')
  return (
    <EmptyState icon="document" title={t('not_found')} heading="h1">
      {t('not_found_help')}
    </EmptyState>
  )
}

function Head({ document }: { document: DocumentText }) {
  const t = textsOf('reader')
  const { document_id, title, source_type, doc_updated_at, primary_owners, original, link, verification } = document
  const inSource = safeHref(link)
  return (
    <div className="page-head">
      <div>
        <h1 className="long-text" dir="auto">
          {title}
        </h1>
        <div className="reader-facts dimmed">
          <SourceIcon source={source_type} size={22} />
          <span>{sourceLabel(source_type)}</span>
          {doc_updated_at !== null && (
            <span>
              <Time at={doc_updated_at} />
            </span>
          )}
          {primary_owners.length > 0 && <bdi>{listText(primary_owners)}</bdi>}
          {original !== null && (
            <bdi className="long-text">
              {original.is_container ? t('size_of_container', sizeOf(original)) : t('size', sizeOf(original))}
            </bdi>
          )}
          {verification !== null && <VerificationMark verification={verification} />}
        </div>
        {document.may_verify && (
          <div className="reader-facts">
            <VerifyControl id={document_id} title={title} verification={verification} />
          </div>
        )}
      </div>
      <div className="row">
        {original !== null && (
          <Button
            component="a"
            href={original.link}
            target="_blank"
            rel="noopener noreferrer"
            leftSection={<Icon name="open" size={16} />}
          >
            {original.is_container ? t('open_archive') : t('open_original')}
          </Button>
        )}
        {inSource !== undefined && (
          <Button
            component="a"
            href={inSource}
            target="_blank"
            rel="noopener noreferrer"
            variant={original === null ? 'filled' : 'default'}
            leftSection={<Icon name="open" size={16} />}
          >
            {t('in_source')}
          </Button>
        )}
      </div>
    </div>
  )
}

const sizeOf = ({ name, size }: NonNullable<DocumentText['original']>) => ({ name, size: formatBytes(size) })

import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { Receipt } from '../ingestion/receipt-state.tsx'
import { PairLinks } from './pair-links.tsx'

/** From the request that sent the document to its vectors, each with its time. */
export function Stages({ receipt }: { receipt: Receipt }) {
  const t = textsOf('admin.documents.stages')
  const { accepted_at, embedded_at, chunk_count, is_hidden } = receipt
  const none = is_hidden ? textsOf('admin.ingestion.receipts')('hidden') : undefined
  const indexed_at = is_hidden ? null : receipt.indexed_at
  return (
    <section className="card card-pad stack" aria-labelledby="stages">
      <h2 id="stages">{t('title')}</h2>
      <ol className="document-steps">
        <Stage name={t('accepted')} at={accepted_at} help={t('accepted_help')} />
        <Stage
          name={t('indexed')}
          none={none}
          at={indexed_at}
          help={is_hidden ? t('hidden_help') : t('indexed_help', { count: chunk_count ?? 0 })}
        />
        <Stage
          name={t('embedded')}
          none={none}
          at={is_hidden ? null : embedded_at}
          help={is_hidden ? t('hidden_help') : embedded_at === null ? t('not_embedded_help') : t('embedded_help')}
        />
      </ol>
      <dl className="document-facts small">
        {factsOf(receipt).map(([name, value]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

interface StageProps {
  name: string
  /** Null: it has not been reached. */
  at: string | null
  /** Instead of "not yet". */
  none?: string | undefined
  help: string
}

const Stage = ({ name, at, none, help }: StageProps) => (
  <li>
    <Badge variant="light" tt="none" color={at === null ? 'gray' : 'green'}>
      {at === null ? (none ?? textsOf('admin.documents.stages')('not_yet')) : <Time at={at} />}
    </Badge>
    <p>
      <strong>{name}</strong> <span className="dimmed">{help}</span>
    </p>
  </li>
)

type Fact = 'id' | 'connectors' | 'pictures' | 'captions' | 'recordings' | 'reason' | 'attempts' | 'request'

function factsOf(receipt: Receipt): [name: Fact, value: ReactNode][] {
  const { document_id, cc_pairs, recognition, captions, transcripts, reason, attempts, request_id } = receipt
  const facts: [Fact, ReactNode][] = [
    ['id', <bdi key="id">{document_id}</bdi>],
    ['connectors', <PairLinks key="connectors" pairs={cc_pairs} />],
  ]
  if (recognition !== null) facts.push(['pictures', <Pictures key="pictures" states={recognition} />])
  if (captions !== null) facts.push(['captions', <Captions key="captions" states={captions} />])
  if (transcripts !== null) facts.push(['recordings', <Recordings key="recordings" states={transcripts} />])
  if (reason !== null) facts.push(['reason', reason])
  if (attempts > 0) facts.push(['attempts', formatCount(attempts)])
  if (request_id !== null) facts.push(['request', <bdi key="request">{request_id}</bdi>])
  return facts
}

/** How far the text recognition in the pictures of the document is. */
function Pictures({ states: { reasons, ...counts } }: { states: NonNullable<Receipt['recognition']> }) {
  const t = textsOf('admin.documents.stages')
  const named = (['read', 'waiting', 'failed'] as const).filter((it) => counts[it] > 0)
  return <States counts={named.map((it) => t(`pictures_${it}`, { count: counts[it] }))} reasons={reasons} />
}

/** How far the captions of the pictures are. */
function Captions({ states: { reasons, ...counts } }: { states: NonNullable<Receipt['captions']> }) {
  const t = textsOf('admin.documents.stages')
  const named = (['read', 'waiting', 'failed', 'skipped'] as const).filter((it) => counts[it] > 0)
  return <States counts={named.map((it) => t(`captions_${it}`, { count: counts[it] }))} reasons={reasons} />
}

/** How far the transcripts of the recordings are. */
function Recordings({ states: { reasons, ...counts } }: { states: NonNullable<Receipt['transcripts']> }) {
  const t = textsOf('admin.documents.stages')
  const named = (['read', 'waiting', 'failed', 'without_model'] as const).filter((it) => counts[it] > 0)
  return <States counts={named.map((it) => t(`recordings_${it}`, { count: counts[it] }))} reasons={reasons} />
}

/** `reasons`: why some files wait, failed or were skipped. */
const States = ({ counts, reasons }: { counts: readonly string[]; reasons: readonly string[] }) => (
  <>
    {counts.join(', ')}
    {reasons.map((it) => (
      <div key={it}>
        <bdi>{it}</bdi>
      </div>
    ))}
  </>
)

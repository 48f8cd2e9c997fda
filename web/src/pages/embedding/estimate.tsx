// The time, the disk and the money that a new index takes.
import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ReindexEstimate } from '../../../../src/client/schemas.ts'
import { durationText, formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { formatValue } from '../overview/format-value.ts'
import { useServiceState } from '../overview/overview-query.ts'

const BYTES_PER_MB = 1_024 * 1_024

export function Estimate({ estimate }: { estimate: ReindexEstimate }) {
  const t = textsOf('admin.embedding.estimate')
  const { model, documents, chunks, kept_vectors, new_vectors, estimated_tokens, disk_bytes } = estimate
  const disk = useServiceState().data?.disk
  const isTight = disk !== undefined && disk.free_mb * BYTES_PER_MB < disk_bytes
  return (
    <div className="stack">
      <dl className="facts">
        <Fact label={t('model')}>{model ?? t('no_model')}</Fact>
        <Fact label={t('documents')}>{t('documents_of', { documents, chunks })}</Fact>
        <Fact label={t('time')}>
          <TimeNeeded estimate={estimate} />
        </Fact>
        <Fact label={t('disk')}>
          {disk === undefined
            ? formatValue('bytes', disk_bytes)
            : t('disk_of', {
                needed: formatValue('bytes', disk_bytes),
                free: formatValue('bytes', disk.free_mb * BYTES_PER_MB),
              })}
        </Fact>
        {model !== null && (
          <Fact label={t('vectors')}>{t('vectors_of', { kept: kept_vectors, made: new_vectors })}</Fact>
        )}
        {model !== null && <Fact label={t('tokens')}>{formatCount(estimated_tokens)}</Fact>}
      </dl>
      {isTight && <p role="alert">{t('disk_tight')}</p>}
      {estimated_tokens > 0 && <Cost tokens={estimated_tokens} />}
    </div>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd className="plain" dir="auto">
      {children}
    </dd>
  </div>
)

/** Without new vectors the index is built in a few minutes: nothing was measured. */
function TimeNeeded({ estimate: { new_vectors, estimated_s, reason } }: { estimate: ReindexEstimate }) {
  const t = textsOf('admin.embedding.estimate')
  if (reason !== null) return t('time_unknown', { reason })
  if (new_vectors === 0 || estimated_s === null) return t('time_short')
  return t('time_about', { duration: durationText(estimated_s) })
}

const TOKENS_OF_PRICE = 1_000_000

/** Prices differ between providers and change, so the person enters it. */
function Cost({ tokens }: { tokens: number }) {
  const t = textsOf('admin.embedding.estimate')
  const [price, setPrice] = useState('')
  const cost = (tokens / TOKENS_OF_PRICE) * Number(price)
  return (
    <div className="embedding-cost">
      <TextInput
        label={t('price')}
        description={t('price_help')}
        type="number"
        min={0}
        step="any"
        value={price}
        onChange={(event) => setPrice(event.currentTarget.value)}
      />
      {price !== '' && Number.isFinite(cost) && <output>{t('cost', { cost })}</output>}
    </div>
  )
}

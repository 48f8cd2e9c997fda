// Deletes what the source no longer has: first a list of what would go, then a decision.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getPruneState, pruneCcPair } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, PruneState } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { REFRESH_MS } from '../connectors/use-connector-statuses.ts'

const SHOWN = 100

export function Pruning({ pair }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.prune')
  const queryClient = useQueryClient()
  const prune = useQuery({
    queryKey: ['pair', pair.id, 'prune'],
    queryFn: ({ signal }) => getPruneState(api, { cc_pair_id: pair.id, signal }),
    refetchInterval: REFRESH_MS,
  })
  const act = useMutation({
    mutationFn: (body: { dry_run: true } | { confirm: boolean }) => pruneCcPair(api, { cc_pair_id: pair.id, body }),
    onSettled: () => queryClient.invalidateQueries(),
  })
  const state = prune.data
  const mayAct = pair.is_editable_for_current_user
  return (
    <section className={state?.state === 'held' ? 'card connector-held' : 'card'} aria-labelledby="prune">
      <div className="section-head">
        <h2 id="prune">{t('title')}</h2>
        {mayAct && state?.state === 'none' && (
          <Button
            size="xs"
            variant="default"
            loading={act.isPending}
            disabled={pair.status === 'PAUSED'}
            onClick={() => act.mutate({ dry_run: true })}
          >
            {t('check')}
          </Button>
        )}
      </div>
      {prune.isError && <ErrorAlert error={prune.error} retry={() => void prune.refetch()} />}
      {act.isError && <ErrorAlert error={act.error} />}
      {state !== undefined && state.state !== 'held' && (
        <p className="section-note dimmed small" role="status">
          <PruneSentence prune={state} />
        </p>
      )}
      {state?.state === 'held' && (
        <HeldPrune
          prune={state}
          mayAct={mayAct}
          isPending={act.isPending}
          onDecide={(confirm) => act.mutate({ confirm })}
        />
      )}
    </section>
  )
}

function PruneSentence({ prune }: { prune: PruneState }) {
  const t = textsOf('admin.connector.prune')
  if (prune.state === 'running') return <>{t('running')}</>
  if (prune.state === 'wanted') return <>{t('wanted')}</>
  if (prune.error !== null) return <>{t.rich('failed', { error: () => <bdi>{prune.error}</bdi> })}</>
  if (prune.last_pruned === null) return <>{t('never')}</>
  return <>{t.rich('last', { removed: prune.removed ?? 0, time: () => <Time at={prune.last_pruned} /> })}</>
}

interface HeldProps {
  prune: PruneState
  mayAct: boolean
  isPending: boolean
  onDecide: (confirm: boolean) => void
}

function HeldPrune({ prune, mayAct, isPending, onDecide }: HeldProps) {
  const t = textsOf('admin.connector.prune')
  const shown = prune.documents.slice(0, SHOWN)
  return (
    <div className="connector-held-body">
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title={t('held', { count: prune.to_delete })}>
        {t('held_help')}
      </Alert>
      <RecordTable
        label={t('documents')}
        rows={shown}
        keyOf={(it) => it.document_id}
        columns={[
          { label: t('document'), className: 'long-text', cell: (it) => <bdi>{it.semantic_identifier}</bdi> },
          { label: t('id'), className: 'long-text', cell: (it) => <CandidateLink candidate={it} /> },
        ]}
      />
      {prune.to_delete > shown.length && (
        <p className="small dimmed">{t('more', { count: prune.to_delete - shown.length })}</p>
      )}
      {mayAct && (
        <div className="row">
          <Button color="red" loading={isPending} onClick={() => onDecide(true)}>
            {t('confirm', { count: prune.to_delete })}
          </Button>
          <Button variant="default" disabled={isPending} onClick={() => onDecide(false)}>
            {t('reject')}
          </Button>
        </div>
      )}
    </div>
  )
}

function CandidateLink({ candidate: { document_id, link } }: { candidate: PruneState['documents'][number] }) {
  const href = safeHref(link)
  if (href === undefined) return <bdi>{document_id}</bdi>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <bdi>{document_id}</bdi>
    </a>
  )
}

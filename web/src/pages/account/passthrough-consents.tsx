// The tools and MCP servers that may search as the person.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { withdrawPassthroughConsent } from '../../../../src/client/operations.ts'
import type { PassthroughConsent } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { consentsQuery } from './connected-queries.ts'

export function PassthroughConsents() {
  const t = textsOf('account.consents')
  const queryClient = useQueryClient()
  const consents = useQuery(consentsQuery)
  const withdraw = useMutation({
    mutationFn: ({ consent_id }: PassthroughConsent) => withdrawPassthroughConsent(api, { consent_id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['connected'] }),
  })
  if (consents.data?.length === 0) return null
  return (
    <section className="card" aria-labelledby="consents">
      <div className="section-head">
        <h2 id="consents">{t('title')}</h2>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {consents.isError && <ErrorAlert error={consents.error} retry={() => void consents.refetch()} />}
      {withdraw.isError && <ErrorAlert error={withdraw.error} />}
      {consents.isPending && <LoadingSkeleton lines={2} />}
      {consents.data !== undefined && (
        <RecordTable
          label={t('title')}
          rows={consents.data}
          keyOf={(it) => it.consent_id}
          columns={[
            { label: t('recipient'), className: 'long-text', cell: ({ name }) => <bdi>{name}</bdi> },
            { label: t('kind'), cell: ({ kind }) => t(`kinds.${kind}`) },
            { label: t('given'), className: 'nowrap', cell: (it) => <Time at={it.given_at} /> },
          ]}
          action={(it) => (
            <EndButton
              label={t('withdraw')}
              longLabel={t('withdraw_of', { name: it.name })}
              isPending={withdraw.isPending && withdraw.variables.consent_id === it.consent_id}
              onClick={() => withdraw.mutate(it)}
            />
          )}
        />
      )}
    </section>
  )
}

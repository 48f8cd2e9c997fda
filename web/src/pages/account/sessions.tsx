import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { endOtherSessions, endSession } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { SessionTable } from '../../parts/session-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { sessionsQuery } from './queries.ts'

export function Sessions() {
  const t = textsOf('account.sessions')
  const queryClient = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const reload = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const end = useMutation({ mutationFn: (id: number) => endSession(api, { session_id: id }), onSettled: reload })
  const endOthers = useMutation({ mutationFn: () => endOtherSessions(api), onSettled: reload })
  const error = end.error ?? endOthers.error ?? sessions.error
  return (
    <section className="card" aria-labelledby="sessions">
      <div className="section-head">
        <h2 id="sessions">{textsOf('parts.sessions')('title')}</h2>
        <Button
          size="xs"
          variant="default"
          loading={endOthers.isPending}
          disabled={(sessions.data ?? []).every((it) => it.is_current)}
          onClick={() => endOthers.mutate()}
        >
          {t('end_others')}
        </Button>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {error !== null && <ErrorAlert error={error} />}
      {sessions.isPending && <LoadingSkeleton lines={3} />}
      {sessions.data !== undefined && (
        <SessionTable
          sessions={sessions.data}
          ending={end.isPending ? end.variables : null}
          onEnd={(id) => end.mutate(id)}
        />
      )}
      <p className="sr-only" role="status">
        {endOthers.data !== undefined && t('ended', { count: endOthers.data.ended })}
      </p>
    </section>
  )
}

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { endSessionOfPerson, endSessionsOfPerson, listSessionsOfPerson } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { SessionTable } from '../../parts/session-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function PersonSessions({ personId: user_id }: { personId: string }) {
  const t = textsOf('admin.people.details')
  const title = textsOf('parts.sessions')('title')
  const queryClient = useQueryClient()
  const queryKey = ['people', 'sessions', user_id]
  const sessions = useQuery({ queryKey, queryFn: ({ signal }) => listSessionsOfPerson(api, { user_id, signal }) })
  const onSettled = () => queryClient.invalidateQueries({ queryKey })
  const end = useMutation({
    mutationFn: (session_id: number) => endSessionOfPerson(api, { user_id, session_id }),
    onSettled,
  })
  const endAll = useMutation({ mutationFn: () => endSessionsOfPerson(api, { user_id }), onSettled })
  const error = end.error ?? endAll.error ?? sessions.error
  return (
    <section aria-label={title} className="people-part">
      <div className="row people-head">
        <h3>{title}</h3>
        {(sessions.data?.length ?? 0) > 0 && (
          <Button variant="default" size="xs" loading={endAll.isPending} onClick={() => endAll.mutate()}>
            {t('end_sessions')}
          </Button>
        )}
      </div>
      {error !== null && <ErrorAlert error={error} />}
      {sessions.isPending && <LoadingSkeleton lines={2} />}
      {sessions.data?.length === 0 && <p className="dimmed small">{t('no_sessions')}</p>}
      {(sessions.data?.length ?? 0) > 0 && (
        <SessionTable
          sessions={sessions.data ?? []}
          ending={end.isPending ? end.variables : null}
          onEnd={(id) => end.mutate(id)}
        />
      )}
    </section>
  )
}

import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { listInvitations, removeInvitation } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { roleLabel } from './roles.ts'

const SHOWN = 100

/** Open invitations, oldest first. Shows nothing if there are none. */
export function Invitations() {
  const t = textsOf('admin.people.invitations')
  const queryClient = useQueryClient()
  const invitations = useQuery({
    queryKey: ['people', 'invitations'],
    queryFn: ({ signal }) => listInvitations(api, { limit: SHOWN, signal }),
  })
  const withdraw = useMutation({
    mutationFn: (user_email: string) => removeInvitation(api, { body: { user_email } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  if (invitations.isError) return <ErrorAlert error={invitations.error} retry={() => void invitations.refetch()} />
  if (invitations.data === undefined || invitations.data.length === 0) return null
  return (
    <section className="card card-pad stack people-part" aria-label={t('title')}>
      <h2>{t('title')}</h2>
      {withdraw.isError && <ErrorAlert error={withdraw.error} />}
      <ul className="people-list">
        {invitations.data.map(({ email, role, groups, expires_at }) => (
          <li key={email} className="row">
            <span className="long-text">
              <bdi>{email}</bdi>{' '}
              <span className="small dimmed">
                {t.rich('details', {
                  names: [roleLabel(role), ...groups].join(', '),
                  time: () => <Time at={expires_at} />,
                })}
              </span>
            </span>
            <Button
              variant="default"
              size="xs"
              aria-label={t('withdraw_of', { email })}
              loading={withdraw.isPending && withdraw.variables === email}
              onClick={() => withdraw.mutate(email)}
            >
              {t('withdraw')}
            </Button>
          </li>
        ))}
      </ul>
      {invitations.data.length === SHOWN && <p className="small dimmed">{t('first_only', { count: SHOWN })}</p>}
    </section>
  )
}

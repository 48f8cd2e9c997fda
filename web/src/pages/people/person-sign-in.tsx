// How a person signs in, and what an administrator does about it.
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createPasswordLink, resetSecondFactors, unlinkPersonFromProvider } from '../../../../src/client/operations.ts'
import type { FullUserSnapshot, PersonDetails } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { EndButton } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface PersonSignInProps {
  person: FullUserSnapshot
  details: PersonDetails
}

export function PersonSignIn({ person, details }: PersonSignInProps) {
  const t = textsOf('admin.people.ways')
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['people'] })
  const link = useMutation({ mutationFn: () => createPasswordLink(api, { body: { user_email: person.email } }) })
  const reset = useMutation({ mutationFn: () => resetSecondFactors(api, { user_id: person.id }), onSettled })
  const error = link.error ?? reset.error
  return (
    <section aria-label={t('title')} className="people-part">
      <h3>{t('title')}</h3>
      <ul className="people-list">
        <li>{t('password', { has: details.has_password ? 'yes' : 'no' })}</li>
        <li>{t('second_factor', { has: details.has_second_factor ? 'yes' : 'no' })}</li>
        <li className="long-text">
          {details.passkeys.length === 0
            ? t('no_passkeys')
            : t.rich('passkeys', { names: () => <bdi>{details.passkeys.map(({ name }) => name).join(', ')}</bdi> })}
        </li>
        {details.providers.map((it) => (
          <ProviderLink key={it.id} provider={it} personId={person.id} />
        ))}
      </ul>
      <div className="row">
        <Button variant="default" size="xs" loading={link.isPending} onClick={() => link.mutate()}>
          {t('link')}
        </Button>
        <Button variant="default" size="xs" loading={reset.isPending} onClick={() => reset.mutate()}>
          {t('reset')}
        </Button>
      </div>
      {error !== null && <ErrorAlert error={error} />}
      {reset.data !== undefined && (
        <p className="small" role="status">
          {t('reset_done', {
            had: reset.data.second_factor_removed ? 'yes' : 'no',
            passkeys: reset.data.passkeys_removed,
          })}
        </p>
      )}
      {link.data !== undefined && (
        <>
          <p className="dimmed small">{t('link_help')}</p>
          <CodeBlock text={new URL(link.data.link, window.location.origin).href} label={t('the_link')} isWord />
        </>
      )}
    </section>
  )
}

function ProviderLink({
  provider: { id, name, last_used_at },
  personId,
}: {
  provider: PersonDetails['providers'][number]
  personId: string
}) {
  const t = textsOf('admin.people.ways')
  const queryClient = useQueryClient()
  const unlink = useMutation({
    mutationFn: () => unlinkPersonFromProvider(api, { provider_id: id, user_id: personId }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  return (
    <li className="row">
      <span className="long-text">
        <bdi>{name}</bdi>{' '}
        <span className="small dimmed">{t.rich('provider_used', { time: () => <Time at={last_used_at} /> })}</span>
      </span>
      <EndButton
        label={t('unlink')}
        longLabel={t('unlink_from', { name })}
        isPending={unlink.isPending}
        onClick={() => unlink.mutate()}
      />
      {unlink.isError && <ErrorAlert error={unlink.error} />}
    </li>
  )
}

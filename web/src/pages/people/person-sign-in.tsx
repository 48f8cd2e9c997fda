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

interface PersonSignInProps {
  person: FullUserSnapshot
  details: PersonDetails
}

export function PersonSignIn({ person, details }: PersonSignInProps) {
  const queryClient = useQueryClient()
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['people'] })
  const link = useMutation({ mutationFn: () => createPasswordLink(api, { body: { user_email: person.email } }) })
  const reset = useMutation({ mutationFn: () => resetSecondFactors(api, { user_id: person.id }), onSettled })
  const error = link.error ?? reset.error
  return (
    <section aria-label="Ways of signing in" className="people-part">
      <h3>Ways of signing in</h3>
      <ul className="people-list">
        <li>Password: {details.has_password ? 'yes' : 'none'}</li>
        <li>Second factor: {details.has_second_factor ? 'on' : 'off'}</li>
        <li className="long-text">
          Passkeys: <bdi>{details.passkeys.map(({ name }) => name).join(', ') || 'none'}</bdi>
        </li>
        {details.providers.map((it) => (
          <ProviderLink key={it.id} provider={it} personId={person.id} />
        ))}
      </ul>
      <div className="row">
        <Button variant="default" size="xs" loading={link.isPending} onClick={() => link.mutate()}>
          Link for a new password
        </Button>
        <Button variant="default" size="xs" loading={reset.isPending} onClick={() => reset.mutate()}>
          Remove second factor and passkeys
        </Button>
      </div>
      {error !== null && <ErrorAlert error={error} />}
      {reset.data !== undefined && (
        <p className="small" role="status">
          {reset.data.second_factor_removed ? 'The second factor is removed.' : 'There was no second factor.'} Passkeys
          removed: {reset.data.passkeys_removed}.
        </p>
      )}
      {link.data !== undefined && (
        <>
          <p className="dimmed small">The link is shown only once, works once, and lives for a day.</p>
          <CodeBlock text={new URL(link.data.link, window.location.origin).href} label="The link" isWord />
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
  const queryClient = useQueryClient()
  const unlink = useMutation({
    mutationFn: () => unlinkPersonFromProvider(api, { provider_id: id, user_id: personId }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  return (
    <li className="row">
      <span className="long-text">
        <bdi>{name}</bdi>{' '}
        <span className="small dimmed">
          · last used <Time at={last_used_at} />
        </span>
      </span>
      <EndButton
        label="Unlink"
        longLabel={`Unlink ${name}`}
        isPending={unlink.isPending}
        onClick={() => unlink.mutate()}
      />
      {unlink.isError && <ErrorAlert error={unlink.error} />}
    </li>
  )
}

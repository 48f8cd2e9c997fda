import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  activateUser,
  createPasswordLink,
  deactivateUser,
  endSessionsOfPerson,
  resetSecondFactors,
  setUserRole,
} from '../../../src/client/operations.ts'
import type { FullUserSnapshot } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { CodeBlock } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { isKeyOf } from '../parts/is-key-of.ts'
import { ErrorAlert } from '../parts/states.tsx'
import { DeletePerson } from './delete-person.tsx'
import { ROLE_LABELS } from './roles.ts'

export function PersonDialog({ person, onClose }: { person: FullUserSnapshot; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { email: user_email } = person
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  const link = useMutation({ mutationFn: () => createPasswordLink(api, { body: { user_email } }) })
  const reset = useMutation({ mutationFn: () => resetSecondFactors(api, { user_id: person.id }) })
  return (
    <Dialog title="Person" onClose={onClose}>
      <p className="long-text">
        <bdi>{user_email}</bdi>
        <br />
        <span className="dimmed small">
          {person.is_verified ? 'Address verified' : 'Address not verified'} ·{' '}
          {person.password_configured ? 'has a password' : 'has no password'} · keys: {person.api_key_count}
        </span>
      </p>
      <NativeSelect
        label="Role"
        value={person.role}
        disabled={change.isPending}
        onChange={({ currentTarget: { value } }) => {
          if (isKeyOf(ROLE_LABELS, value))
            change.mutate(() => setUserRole(api, { body: { user_email, new_role: value } }))
        }}
        data={Object.entries(ROLE_LABELS).map(([value, label]) => ({ value, label }))}
      />
      <div className="row people-tools people-part">
        <Button
          variant="default"
          size="xs"
          loading={change.isPending}
          onClick={() =>
            change.mutate(() => (person.is_active ? deactivateUser : activateUser)(api, { body: { user_email } }))
          }
        >
          {person.is_active ? 'Suspend' : 'End the suspension'}
        </Button>
        <Button
          variant="default"
          size="xs"
          loading={change.isPending}
          onClick={() => change.mutate(() => endSessionsOfPerson(api, { user_id: person.id }))}
        >
          End all sessions
        </Button>
        <Button variant="default" size="xs" loading={reset.isPending} onClick={() => reset.mutate()}>
          Remove second factor and passkeys
        </Button>
        <Button variant="default" size="xs" loading={link.isPending} onClick={() => link.mutate()}>
          Link for a new password
        </Button>
      </div>
      {change.isError && <ErrorAlert error={change.error} />}
      {reset.isError && <ErrorAlert error={reset.error} />}
      {reset.data !== undefined && (
        <p className="small" role="status">
          {reset.data.second_factor_removed ? 'The second factor is removed.' : 'There was no second factor.'} Passkeys
          removed: {reset.data.passkeys_removed}.
        </p>
      )}
      {link.isError && <ErrorAlert error={link.error} />}
      {link.data !== undefined && (
        <>
          <p className="dimmed small">The link is shown only once, works once, and lives for a day.</p>
          <CodeBlock text={new URL(link.data.link, window.location.origin).href} label="The link" isWord />
        </>
      )}
      <DeletePerson email={user_email} onDeleted={onClose} />
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

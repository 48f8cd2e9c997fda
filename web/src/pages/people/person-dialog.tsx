// One person for administrators: role and state, ways of signing in, groups, sessions, keys, data.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { activateUser, deactivateUser, getPersonDetails, setUserRole } from '../../../../src/client/operations.ts'
import type { FullUserSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { DeletePerson } from './delete-person.tsx'
import { PersonGroups } from './person-groups.tsx'
import { PersonKeys } from './person-keys.tsx'
import { PersonSessions } from './person-sessions.tsx'
import { PersonSignIn } from './person-sign-in.tsx'
import { ROLE_LABELS } from './roles.ts'

export function PersonDialog({ person, onClose }: { person: FullUserSnapshot; onClose: () => void }) {
  const { id: user_id, email } = person
  const details = useQuery({
    queryKey: ['people', 'details', user_id],
    queryFn: ({ signal }) => getPersonDetails(api, { user_id, signal }),
  })
  return (
    <Dialog title="Person" onClose={onClose} isWide>
      <p className="long-text">
        <bdi>{email}</bdi>
        {person.personal_name !== null && (
          <>
            {' · '}
            <bdi>{person.personal_name}</bdi>
          </>
        )}
        <br />
        <span className="dimmed small">
          {person.is_verified ? 'Address verified' : 'Address not verified'}
          {person.is_scim_synced && ' · managed by the directory'}
        </span>
      </p>
      <RoleAndState person={person} />
      {details.isPending && <LoadingSkeleton lines={5} />}
      {details.isError && <ErrorAlert error={details.error} retry={() => void details.refetch()} />}
      {details.data !== undefined && (
        <>
          <PersonGroups personId={user_id} groups={details.data.groups} />
          <PersonSignIn person={person} details={details.data} />
          <PersonSessions personId={user_id} />
          <PersonKeys keys={details.data.api_keys} />
        </>
      )}
      <section aria-label="Data" className="people-part">
        <h3>Data</h3>
        <Button component="a" variant="default" size="xs" href={exportPath(email)} download="person.ndjson">
          Export the data of the person
        </Button>
        <DeletePerson email={email} onDeleted={onClose} />
      </section>
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

const exportPath = (email: string) => `/api/admin/person/${encodeURIComponent(email)}/export`

function RoleAndState({ person: { email: user_email, role, is_active } }: { person: FullUserSnapshot }) {
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  return (
    <>
      <div className="row people-picker">
        <NativeSelect
          label="Role"
          value={role}
          disabled={change.isPending}
          onChange={({ currentTarget: { value } }) => {
            if (isKeyOf(ROLE_LABELS, value))
              change.mutate(() => setUserRole(api, { body: { user_email, new_role: value } }))
          }}
          data={Object.entries(ROLE_LABELS).map(([value, label]) => ({ value, label }))}
        />
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() =>
            change.mutate(() => (is_active ? deactivateUser : activateUser)(api, { body: { user_email } }))
          }
        >
          {is_active ? 'Suspend' : 'End the suspension'}
        </Button>
      </div>
      {change.isError && <ErrorAlert error={change.error} />}
    </>
  )
}

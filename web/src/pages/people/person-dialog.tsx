// One person for administrators: role and state, ways of signing in, groups, sessions, keys, data.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { activateUser, deactivateUser, getPersonDetails, setUserRole } from '../../../../src/client/operations.ts'
import type { FullUserSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { DeletePerson } from './delete-person.tsx'
import { PersonGroups } from './person-groups.tsx'
import { PersonKeys } from './person-keys.tsx'
import { PersonName } from './person-name.tsx'
import { PersonSessions } from './person-sessions.tsx'
import { PersonSignIn } from './person-sign-in.tsx'
import { isRole, ROLES, roleChoices } from './roles.ts'

export function PersonDialog({ person, onClose }: { person: FullUserSnapshot; onClose: () => void }) {
  const t = textsOf('admin.people.details')
  const { id: user_id, email } = person
  const details = useQuery({
    queryKey: ['people', 'details', user_id],
    queryFn: ({ signal }) => getPersonDetails(api, { user_id, signal }),
  })
  return (
    <Dialog title={textsOf('admin.people')('person')} onClose={onClose} isWide>
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
          {t(`${person.is_verified ? 'verified' : 'not_verified'}${person.is_scim_synced ? '_in_directory' : ''}`)}
        </span>
      </p>
      <PersonName person={person} />
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
      <section aria-label={t('data')} className="people-part">
        <h3>{t('data')}</h3>
        <Button component="a" variant="default" size="xs" href={exportPath(email)} download="person.ndjson">
          {t('export')}
        </Button>
        <DeletePerson email={email} onDeleted={onClose} />
      </section>
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('close')}
        </Button>
      </div>
    </Dialog>
  )
}

const exportPath = (email: string) => `/api/admin/person/${encodeURIComponent(email)}/export`

function RoleAndState({ person: { email: user_email, role, is_active } }: { person: FullUserSnapshot }) {
  const t = textsOf('admin.people.details')
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  return (
    <>
      <div className="row people-picker">
        <NativeSelect
          label={textsOf('parts')('role')}
          value={role}
          disabled={change.isPending}
          onChange={({ currentTarget: { value } }) => {
            if (isRole(value)) change.mutate(() => setUserRole(api, { body: { user_email, new_role: value } }))
          }}
          data={roleChoices(ROLES)}
        />
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() =>
            change.mutate(() => (is_active ? deactivateUser : activateUser)(api, { body: { user_email } }))
          }
        >
          {t(is_active ? 'suspend' : 'activate')}
        </Button>
      </div>
      {change.isError && <ErrorAlert error={change.error} />}
    </>
  )
}

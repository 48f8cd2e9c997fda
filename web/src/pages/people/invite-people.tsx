import { Button, NativeSelect, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { inviteUsers } from '../../../../src/client/operations.ts'
import type { InvitationResult } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { EndButton } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { GroupPicker } from './group-picker.tsx'
import { ROLE_LABELS } from './roles.ts'

/** A curator is made by a group. */
const { curator: _, ...INVITED_ROLES } = ROLE_LABELS

/** Addresses are separated by spaces, commas, semicolons or lines. */
const addressesOf = (text: string): string[] => text.split(/[\s,;]/).filter((it) => it !== '')

export function InvitePeople({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [role, setRole] = useState<keyof typeof INVITED_ROLES>('basic')
  const [groups, setGroups] = useState<string[]>([])
  const queryClient = useQueryClient()
  const emails = addressesOf(text)
  const invite = useMutation({
    mutationFn: () => inviteUsers(api, { body: { emails, role, groups } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (emails.length > 0) invite.mutate()
  }
  if (invite.data !== undefined) return <Links invitations={invite.data.invitations} onClose={onClose} />
  return (
    <Dialog title="Invite people" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Textarea
          label="E-mail addresses"
          description="One or several, at most 200."
          rows={4}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <NativeSelect
          label="Role"
          value={role}
          onChange={({ currentTarget: { value } }) => isKeyOf(INVITED_ROLES, value) && setRole(value)}
          data={Object.entries(INVITED_ROLES).map(([value, label]) => ({ value, label }))}
        />
        <InvitedGroups groups={groups} onChange={setGroups} />
        {invite.isError && <ErrorAlert error={invite.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending} disabled={emails.length === 0}>
            Create links
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const InvitedGroups = ({ groups, onChange }: { groups: string[]; onChange: (groups: string[]) => void }) => (
  <div>
    <GroupPicker
      label="Group"
      description="A group that does not exist is created."
      onPick={({ name }) => onChange([...groups.filter((it) => it !== name), name])}
    />
    <ul className="people-list" aria-label="Groups of the invitation">
      {groups.map((name) => (
        <li key={name} className="row">
          <bdi className="long-text">{name}</bdi>
          <EndButton
            label="Remove"
            longLabel={`Remove the group ${name}`}
            onClick={() => onChange(groups.filter((it) => it !== name))}
          />
        </li>
      ))}
    </ul>
  </div>
)

const Links = ({ invitations, onClose }: { invitations: readonly InvitationResult[]; onClose: () => void }) => (
  <Dialog title="Invitations" onClose={onClose}>
    <p className="dimmed">Each link is shown only once, works once, and lives for 7 days.</p>
    <div className="stack">
      {invitations.map(({ email, status, link }) => (
        <div key={email} className="long-text">
          <bdi>{email}</bdi>
          {status === 'exists' && <p className="dimmed">This person has an account already.</p>}
          {status === 'invited' && link === null && <p className="dimmed">The link was sent by mail.</p>}
          {link !== null && (
            <CodeBlock text={new URL(link, window.location.origin).href} label={`Link for ${email}`} isWord />
          )}
        </div>
      ))}
    </div>
    <div className="dialog-buttons">
      <Button onClick={onClose}>Done</Button>
    </div>
  </Dialog>
)

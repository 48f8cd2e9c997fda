import { Button, NativeSelect, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { inviteUsers } from '../../../../src/client/operations.ts'
import type { InvitationResult } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { EndButton } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { GroupPicker } from './group-picker.tsx'
import { isRole, type Role, roleChoices } from './roles.ts'

/** A curator is made by a group. */
const INVITED_ROLES = ['admin', 'global_curator', 'basic', 'limited'] as const

/** Addresses are separated by spaces, commas, semicolons or lines. */
const addressesOf = (text: string): string[] => text.split(/[\s,;]/).filter((it) => it !== '')

export function InvitePeople({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.people.inviting')
  const parts = textsOf('parts')
  const [text, setText] = useState('')
  const [role, setRole] = useState<Role>('basic')
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
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Textarea
          label={t('emails')}
          description={t('emails_help')}
          rows={4}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <NativeSelect
          label={parts('role')}
          value={role}
          onChange={({ currentTarget: { value } }) => isRole(value) && setRole(value)}
          data={roleChoices(INVITED_ROLES)}
        />
        <InvitedGroups groups={groups} onChange={setGroups} />
        {invite.isError && <ErrorAlert error={invite.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {parts('cancel')}
          </Button>
          <Button type="submit" loading={invite.isPending} disabled={emails.length === 0}>
            {t('create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function InvitedGroups({ groups, onChange }: { groups: string[]; onChange: (groups: string[]) => void }) {
  const t = textsOf('admin.people.inviting')
  return (
    <div>
      <GroupPicker
        label={t('group')}
        description={t('group_help')}
        onPick={({ name }) => onChange([...groups.filter((it) => it !== name), name])}
      />
      <ul className="people-list" aria-label={t('groups')}>
        {groups.map((name) => (
          <li key={name} className="row">
            <bdi className="long-text">{name}</bdi>
            <EndButton
              label={textsOf('parts')('remove')}
              longLabel={t('remove_group', { name })}
              onClick={() => onChange(groups.filter((it) => it !== name))}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Links({ invitations, onClose }: { invitations: readonly InvitationResult[]; onClose: () => void }) {
  const t = textsOf('admin.people.inviting')
  return (
    <Dialog title={t('links')} onClose={onClose}>
      <p className="dimmed">{t('links_help')}</p>
      <div className="stack">
        {invitations.map(({ email, status, link }) => (
          <div key={email} className="long-text">
            <bdi>{email}</bdi>
            {status === 'exists' && <p className="dimmed">{t('exists')}</p>}
            {status === 'invited' && link === null && <p className="dimmed">{t('mailed')}</p>}
            {link !== null && (
              <CodeBlock text={new URL(link, window.location.origin).href} label={t('link_of', { email })} isWord />
            )}
          </div>
        ))}
      </div>
      <div className="dialog-buttons">
        <Button onClick={onClose}>{textsOf('parts')('done')}</Button>
      </div>
    </Dialog>
  )
}

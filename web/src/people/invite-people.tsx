import { Button, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { inviteUsers } from '../../../src/client/operations.ts'
import { api } from '../api.ts'
import { CodeBlock } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/states.tsx'

/** Addresses are separated by spaces, commas, semicolons or lines. */
const addressesOf = (text: string): string[] => text.split(/[\s,;]/).filter((it) => it !== '')

export function InvitePeople({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const queryClient = useQueryClient()
  const emails = addressesOf(text)
  const invite = useMutation({
    mutationFn: () => inviteUsers(api, { body: { emails } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (emails.length > 0) invite.mutate()
  }
  if (invite.data !== undefined) {
    return (
      <Dialog title="Send the links now" onClose={onClose}>
        <p className="dimmed">Each link is shown only once, works once, and lives for 7 days.</p>
        <div className="stack">
          {invite.data.invitations.map(({ email, link }) => (
            <div key={email} className="long-text">
              <bdi>{email}</bdi>
              {link === null ? (
                <p className="dimmed">This person has an account already.</p>
              ) : (
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
  }
  return (
    <Dialog title="Invite people" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Textarea
          label="E-mail addresses"
          description="One or several, at most 200. They get the role Basic."
          rows={4}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
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

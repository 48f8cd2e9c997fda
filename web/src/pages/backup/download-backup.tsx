// Downloads a backup after the person has proved again who they are, unless they signed in a moment ago.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../../src/client/api.ts'
import { allowBackupDownload, getSecondFactor, logoutWithOidc } from '../../../../src/client/operations.ts'
import type { Backup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { PasswordConfirmation } from '../account/password-confirmation.tsx'

interface DownloadProps {
  backup: Backup
  onClose: () => void
}

export function DownloadBackup({ backup, onClose }: DownloadProps) {
  const t = textsOf('admin.backup.download')
  const allow = useMutation({
    mutationFn: (password: string | null) => confirmDownload(backup, password),
    onSuccess: (outcome) => {
      if (outcome.state !== 'allowed') return
      startDownload(backup, outcome.ticket)
      onClose()
    },
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <div className="stack">
        <p>{t('help')}</p>
        <Confirmation allow={allow} onClose={onClose} />
      </div>
    </Dialog>
  )
}

type Outcome = { state: 'allowed'; ticket: string } | { state: 'password' } | { state: 'sign_in' }

interface ConfirmationProps {
  allow: {
    data: Outcome | undefined
    error: Error | null
    isPending: boolean
    mutate: (password: string | null) => void
  }
  onClose: () => void
}

/** The person is asked for the password only when the service wants it. */
function Confirmation({ allow, onClose }: ConfirmationProps) {
  const t = textsOf('admin.backup.download')
  if (allow.data?.state === 'password' || hasCode(allow.error, 'LOGIN_BAD_CREDENTIALS'))
    return (
      <PasswordConfirmation
        action={t('confirm')}
        error={allow.error}
        isPending={allow.isPending}
        onConfirm={allow.mutate}
        onCancel={onClose}
      />
    )
  if (allow.data?.state === 'sign_in') return <SignInAgain onClose={onClose} />
  return (
    <>
      {allow.error !== null && <ErrorAlert error={allow.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button
          loading={allow.isPending}
          leftSection={<Icon name="download" size={16} />}
          onClick={() => allow.mutate(null)}
        >
          {t('confirm')}
        </Button>
      </div>
    </>
  )
}

/** A person without a password proves who they are by signing in again, with their provider or passkey. */
function SignInAgain({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.backup.download')
  const signOut = useMutation({
    mutationFn: () => logoutWithOidc(api),
    // The page then asks for a sign-in, which leads back here.
    onSuccess: () => window.location.reload(),
  })
  return (
    <>
      <p>{t('sign_in_help')}</p>
      {signOut.isError && <ErrorAlert error={signOut.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {t('sign_in')}
        </Button>
      </div>
    </>
  )
}

async function confirmDownload({ id }: Backup, password: string | null): Promise<Outcome> {
  try {
    const { ticket } = await allowBackupDownload(api, { backup_id: id, body: { password } })
    return { state: 'allowed', ticket }
  } catch (error) {
    if (!hasCode(error, 'SIGN_IN_AGAIN')) throw error
    return { state: (await getSecondFactor(api)).has_password ? 'password' : 'sign_in' }
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof ApiError && error.error_code === code

/** The browser saves the file while it arrives. */
function startDownload({ id }: Backup, ticket: string): void {
  const link = document.createElement('a')
  link.href = `/api/admin/backup/${encodeURIComponent(id)}/file?ticket=${encodeURIComponent(ticket)}`
  link.download = ''
  link.click()
}

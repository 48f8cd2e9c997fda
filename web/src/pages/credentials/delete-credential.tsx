// Deletes a credential, after it has said which connectors and documents go with it.
import { Alert, Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { deleteCredential, forceDeleteCredential } from '../../../../src/client/operations.ts'
import type { ConnectorIndexingStatus, CredentialSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { credentialLabel } from '../add-connector/credential-choice.tsx'
import { UsedBy } from './credential-table.tsx'
import { useSave } from './use-save.ts'

interface DeleteProps {
  credential: CredentialSnapshot
  usedBy: readonly ConnectorIndexingStatus[]
  onClose: () => void
}

export function DeleteCredential({ credential, usedBy, onClose }: DeleteProps) {
  const t = textsOf('admin.credentials')
  const [isConfirmed, setConfirmed] = useState(false)
  const isUsed = usedBy.length > 0
  const remove = useSave(
    () => (isUsed ? forceDeleteCredential : deleteCredential)(api, { credential_id: credential.id }),
    onClose,
  )
  const documents = usedBy.reduce((sum, it) => sum + it.docs_indexed + it.docs_waiting + it.docs_failed, 0)
  return (
    <Dialog title={t('delete_of', { name: credentialLabel(credential) })} onClose={onClose}>
      {isUsed ? (
        <>
          <Alert variant="light" color="red" icon={<Icon name="alert" />} title={t('breaks', { count: usedBy.length })}>
            <UsedBy connectors={usedBy} />
            <p className="credential-line">{t('removes', { count: documents })}</p>
          </Alert>
          <Checkbox
            mt="md"
            label={t('delete_all')}
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
        </>
      ) : (
        <p>{t('delete_unused')}</p>
      )}
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button
          color="red"
          loading={remove.isPending}
          disabled={isUsed && !isConfirmed}
          onClick={() => remove.mutate()}
        >
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  )
}

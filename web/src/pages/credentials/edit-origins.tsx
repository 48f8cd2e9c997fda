// The origins that receive a credential: an allow-list, a line for each.
import { Alert, Button, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { setAllowedOrigins } from '../../../../src/client/operations.ts'
import type { CredentialSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { credentialLabel, OriginsText } from '../add-connector/credential-choice.tsx'
import { isConflict, useSave } from './use-save.ts'

export function EditOrigins({ credential, onClose }: { credential: CredentialSnapshot; onClose: () => void }) {
  const t = textsOf('admin.credentials')
  const [lines, setLines] = useState(() => credential.allowed_origins.join('\n'))
  /** The state on which the change is based; after a conflict that of the others, once the person has seen it. */
  const [base, setBase] = useState(credential.time_updated)
  const save = useSave(() => {
    const allowed_origins = lines.split('\n').flatMap((it) => it.trim() || [])
    const body = { allowed_origins, expected_time_updated: base }
    return setAllowedOrigins(api, { credential_id: credential.id, body })
  }, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const hasConflict = isConflict(save.error) && base !== credential.time_updated
  return (
    <Dialog title={t('change_origins_of', { name: credentialLabel(credential) })} onClose={onClose}>
      <form className="schema-form" onSubmit={submit}>
        <p className="small dimmed">{t('origins_help')}</p>
        <Textarea
          label={t('sent_to')}
          description={t('origins_form')}
          value={lines}
          onChange={(event) => setLines(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          maxLength={20_000}
        />
        {hasConflict && (
          <Alert variant="light" color="yellow" role="alert" icon={<Icon name="alert" />} title={t('conflict')}>
            <p className="credential-line">
              <OriginsText origins={credential.allowed_origins} />
            </p>
            <Button size="xs" variant="default" onClick={() => setBase(credential.time_updated)}>
              {t('overwrite')}
            </Button>
          </Alert>
        )}
        {save.isError && !isConflict(save.error) && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={hasConflict}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

// One kind of source from the form to the running connector, in numbered steps.
import { type ReactNode, useRef } from 'react'
import type { ConnectorSource } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { CredentialChoice } from './credential-choice.tsx'
import { FinishForm } from './finish-form.tsx'
import { RightsBadge } from './gallery.tsx'
import { fieldTexts, kindHelp, kindTitle } from './kind-texts.ts'
import { TestStep } from './test-step.tsx'
import { UploadFiles } from './upload-files.tsx'
import { useDraft } from './use-draft.ts'

export function ConnectSource({ kind }: { kind: ConnectorSource }) {
  const t = textsOf('admin.add_connector')
  const draft = useDraft(kind)
  const steps = useRef<HTMLDivElement>(null)
  const showFirstError = () => {
    const field = steps.current?.querySelector('[aria-invalid="true"]')
    if (field instanceof HTMLElement) field.focus()
  }
  const hasCredential = kind.credential_schema !== null
  const number = hasCredential ? 3 : 2
  return (
    <>
      <div className="page-head">
        <div className="connect-head">
          <SourceIcon source={kind.source} size={48} />
          <div>
            <h1>{t('connect', { kind: kindTitle(kind) })}</h1>
            <p>{kindHelp(kind)}</p>
            <RightsBadge isFollowed={kind.supports_sync} />
          </div>
        </div>
        <AdminLink page="add-connector">{t('all_sources')}</AdminLink>
      </div>
      <div className="connect-steps" ref={steps}>
        <Step number={1} title={t('config_title')}>
          {kind.source === 'file' && <UploadFiles files={draft.files} onChange={draft.setFiles} />}
          <SchemaForm
            fields={draft.fields}
            values={draft.values}
            onChange={draft.setValues}
            errors={draft.errors}
            texts={fieldTexts(kind.source)}
          />
        </Step>
        {hasCredential && (
          <Step number={2} title={t(kind.source === 'file' ? 'password_title' : 'credential_title')}>
            <CredentialChoice kind={kind} chosen={draft.credentialId} onChoose={draft.setCredentialId} />
          </Step>
        )}
        <Step number={number} title={t('test_title')}>
          <TestStep draft={draft} />
          {draft.others !== null && <ErrorAlert error={draft.others} />}
        </Step>
        <Step number={number + 1} title={t('finish_title')}>
          <FinishForm draft={draft} onFieldErrors={showFirstError} />
        </Step>
      </div>
    </>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  const id = `step-${number}`
  return (
    <section className="card card-pad connect-step" aria-labelledby={id}>
      <h2 id={id}>{textsOf('admin.add_connector')('step', { number, title })}</h2>
      {children}
    </section>
  )
}

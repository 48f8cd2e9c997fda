// The test of the connection, and a preview of the documents, before anything is stored.
import { Alert, Button, Loader } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { PreviewResult } from './preview-result.tsx'
import { TestVerdict } from './test-verdict.tsx'
import type { Draft } from './use-draft.ts'

export function TestStep({ draft }: { draft: Draft }) {
  const t = textsOf('admin.add_connector')
  const { trial, kind } = draft
  const { test, preview } = trial
  return (
    <>
      <p className="dimmed">{t('test_help')}</p>
      <div className="row">
        <Button
          variant="default"
          leftSection={<Icon name="play" size={16} />}
          disabled={trial.isRunning}
          onClick={() => trial.start(kind.supports_sync ? 'sync' : 'public')}
        >
          {t('test')}
        </Button>
        {trial.isRunning && (
          <Button variant="subtle" onClick={trial.stop}>
            {t('stop')}
          </Button>
        )}
      </div>
      <div className="connect-step" aria-live="polite">
        {test.isPending && <Waiting text={t('testing')} />}
        {test.data !== undefined && <TestVerdict test={test.data} />}
        {preview.isPending && <Waiting text={t('previewing')} />}
        {preview.data !== undefined && <PreviewResult preview={preview.data} />}
      </div>
    </>
  )
}

const Waiting = ({ text }: { text: string }) => (
  <Alert variant="light" color="gray" icon={<Loader size={16} />}>
    {text}
  </Alert>
)

// The result of a test of a model.
import { Alert } from '@mantine/core'
import { errorMessage } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'

export const WorkingTest = ({ model }: { model: string }) => (
  <Alert
    variant="light"
    color="green"
    icon={<Icon name="check" />}
    title={textsOf('admin.models.test').rich('works', { model, it: (text) => <bdi>{text}</bdi> })}
  />
)

/** The service says what the server answered; the second line is the way out. */
export function FailedTest({ error }: { error: unknown }) {
  const t = textsOf('admin.models.test')
  return (
    <Alert variant="light" color="red" icon={<Icon name="alert" />} title={t('fails')}>
      <p className="models-line" dir="auto">
        {errorMessage(error)}
      </p>
      <p className="models-line">{t('way_out')}</p>
    </Alert>
  )
}

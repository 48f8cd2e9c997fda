import { Button } from '@mantine/core'
import { textsOf } from '../text/texts.ts'
import { CodeBlock } from './copy.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a new secret. This is the only time. */
export const SecretDialog = ({
  kind,
  secret,
  onClose,
}: {
  kind: 'key' | 'token' | 'secret'
  secret: string
  onClose: () => void
}) => {
  const t = textsOf('parts.secret')
  return (
    <Dialog title={t('title', { kind })} onClose={onClose}>
      <p className="dimmed">{t('help', { kind })}</p>
      <CodeBlock text={secret} label={t('label', { kind })} isWord />
      <div className="dialog-buttons">
        <Button onClick={onClose}>{textsOf('parts')('done')}</Button>
      </div>
    </Dialog>
  )
}

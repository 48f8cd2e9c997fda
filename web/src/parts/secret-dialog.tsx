import { Button } from '@mantine/core'
import { CodeBlock } from './copy.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a new secret. The service has only its hash, so this is the only time. */
export const SecretDialog = ({
  kind,
  secret,
  onClose,
}: {
  kind: 'key' | 'token'
  secret: string
  onClose: () => void
}) => (
  <Dialog title={`Copy the ${kind} now`} onClose={onClose}>
    <p className="dimmed">You will not see this {kind} again. Pharos stores only its hash.</p>
    <CodeBlock text={secret} label={`The new ${kind}`} isWord />
    <div className="dialog-buttons">
      <Button onClick={onClose}>Done</Button>
    </div>
  </Dialog>
)

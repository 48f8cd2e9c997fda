import { Button } from '@mantine/core'
import { useState } from 'react'
import { textsOf } from '../text/texts.ts'
import { Icon } from './icon.tsx'

const SHOWN_MS = 2_000

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const t = textsOf('parts')
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = () =>
    writeToClipboard(text)
      .then(() => setState('copied'))
      .catch(() => setState('failed'))
      .finally(() => setTimeout(() => setState('idle'), SHOWN_MS))
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      onClick={copy}
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={15} />}
    >
      <span aria-live="polite">
        {state === 'copied' ? t('copied') : state === 'failed' ? t('copy_failed') : (label ?? t('copy'))}
      </span>
    </Button>
  )
}

/** Browsers provide no clipboard over plain HTTP from another machine. */
const writeToClipboard = (text: string): Promise<void> =>
  navigator.clipboard === undefined ? Promise.reject(new Error('no clipboard')) : navigator.clipboard.writeText(text)

/** `isWord` breaks a long key across lines; a command keeps its lines and scrolls. */
export const CodeBlock = ({ text, label, isWord = false }: { text: string; label: string; isWord?: boolean }) => (
  <figure className={isWord ? 'code code-word' : 'code'} aria-label={label}>
    <div className="code-copy">
      <CopyButton text={text} />
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard. */}
    <pre tabIndex={0}>{text}</pre>
  </figure>
)

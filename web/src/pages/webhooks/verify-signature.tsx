// How the endpoint proves that a message comes from here.
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../../parts/copy.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { textsOf } from '../../text/texts.ts'
import { SNIPPETS } from './snippets.ts'

const STANDARD = 'https://www.standardwebhooks.com'

export function VerifySignature() {
  const t = textsOf('admin.webhooks.verify')
  const [language, setLanguage] = useState<keyof typeof SNIPPETS>('JavaScript')
  return (
    <section className="card card-pad stack" aria-labelledby="verify">
      <h2 id="verify">{t('title')}</h2>
      <p className="dimmed">
        {t.rich('help', {
          standard: (text) => (
            <a href={STANDARD} target="_blank" rel="noreferrer">
              {text}
            </a>
          ),
          code: (text) => <code>{text}</code>,
        })}
      </p>
      <NativeSelect
        className="webhook-language"
        label={t('language')}
        value={language}
        onChange={({ currentTarget: { value } }) => {
          if (isKeyOf(SNIPPETS, value)) setLanguage(value)
        }}
        data={Object.keys(SNIPPETS)}
      />
      <CodeBlock text={SNIPPETS[language]} label={t('snippet', { language })} />
    </section>
  )
}

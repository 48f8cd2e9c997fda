// A dialog for words that find each other.
import { Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { textsOf } from '../../text/texts.ts'
import { FormButtons } from './half-lives.tsx'
import type { Ranking } from './ranking-query.ts'

/** The limits of the API. */
const MIN_WORDS = 2
const MAX_WORDS = 20
const MAX_WORD = 2_000
const MAX_TEXT = MAX_WORDS * (MAX_WORD + 1)

interface Props {
  ranking: Ranking
  /** The list that is changed, or the first words of a new one. */
  words: readonly string[]
  onSave: (query: string) => void
  onClose: () => void
}

export function SynonymForm({ ranking, words, onSave, onClose }: Props) {
  const t = textsOf('admin.ranking.synonyms')
  const [text, setText] = useState(words.length === 0 ? '' : `${words.join('\n')}\n`)
  const synonyms = ranking.values?.synonyms ?? []
  const entered = wordsOf(text)
  const isTooLong = entered.length > MAX_WORDS || entered.some((it) => it.length > MAX_WORD)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const others = synonyms.filter((it) => JSON.stringify(it) !== JSON.stringify(words))
    ranking.change({ synonyms: [...others, entered] })
    onSave(entered[0] ?? '')
  }
  return (
    <Dialog title={t('add')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Textarea
          label={t('words')}
          description={t('words_help')}
          rows={5}
          dir="auto"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={MAX_TEXT}
          error={isTooLong && t('too_many', { count: MAX_WORDS })}
        />
        <FormButtons isReady={entered.length >= MIN_WORDS && !isTooLong} onClose={onClose} />
      </form>
    </Dialog>
  )
}

const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((it) => it.trim())
      .filter((it) => it !== ''),
  ),
]

// The settings of the ranking, for administrators, with the effect of unsaved changes on a query.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { AdminLink } from '../../admin/admin-link.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { BoostForm } from './boost-form.tsx'
import { Boosts } from './boosts.tsx'
import { HalfLives } from './half-lives.tsx'
import { LivePreview } from './live-preview.tsx'
import { PinForm } from './pin-form.tsx'
import { Pins } from './pins.tsx'
import { type Ranking, useRanking } from './ranking-query.ts'
import { SaveBar } from './save-bar.tsx'
import { SynonymForm } from './synonym-form.tsx'
import { Synonyms } from './synonyms.tsx'
import { textOf } from './text-of.ts'
import { Weights } from './weights.tsx'
import './ranking.css'

type Opened =
  | { form: 'boost'; source: string; query: string }
  | { form: 'pin'; query: string }
  | { form: 'synonym'; words: readonly string[] }

/** The analytics open a form with what is in their rows: `?add=pin&query=leave`. */
function useOpenedForm() {
  const search = useSearch({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const navigate = useNavigate()
  const query = textOf(search.query)
  const [opened, setOpened] = useState(() => formOf(textOf(search.add), query, textOf(search.source)))
  const close = () => {
    setOpened(null)
    void navigate({ to: '.', search: {}, replace: true })
  }
  return { query, opened, open: setOpened, close }
}

function formOf(add: string, query: string, source: string): Opened | null {
  if (add === 'boost') return { form: 'boost', source, query }
  if (add === 'pin') return { form: 'pin', query }
  return add === 'synonym' ? { form: 'synonym', words: query === '' ? [] : [query] } : null
}

export function RankingPage() {
  const t = textsOf('admin.ranking')
  const ranking = useRanking()
  const { settings } = ranking
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
          <p>
            {t.rich('links', {
              lab: (text) => <AdminLink page="relevance">{text}</AdminLink>,
              analytics: (text) => <AdminLink page="analytics">{text}</AdminLink>,
            })}
          </p>
        </div>
      </div>
      {settings.isError && <ErrorAlert error={settings.error} retry={() => void settings.refetch()} />}
      {settings.isPending && <LoadingSkeleton lines={10} />}
      {ranking.values !== undefined && <Settings ranking={ranking} />}
    </div>
  )
}

function Settings({ ranking }: { ranking: Ranking }) {
  const { query: initialQuery, opened, open, close } = useOpenedForm()
  const [query, setQuery] = useState(initialQuery)
  const preview = (next: string) => {
    setQuery(next)
    close()
  }
  return (
    <>
      <div className="ranking-columns">
        <LivePreview ranking={ranking} query={query} onQuery={setQuery} />
        <div className="stack">
          <Pins
            ranking={ranking}
            onAdd={() => open({ form: 'pin', query: '' })}
            onEdit={(it) => open({ form: 'pin', query: it })}
          />
          <Synonyms
            ranking={ranking}
            onAdd={() => open({ form: 'synonym', words: [] })}
            onEdit={(words) => open({ form: 'synonym', words })}
          />
          <Boosts ranking={ranking} onAdd={() => open({ form: 'boost', source: '', query: '' })} />
          <HalfLives ranking={ranking} />
          <Weights ranking={ranking} />
        </div>
      </div>
      <SaveBar ranking={ranking} />
      {opened?.form === 'pin' && (
        <PinForm ranking={ranking} initialQuery={opened.query} onSave={preview} onClose={close} />
      )}
      {opened?.form === 'synonym' && (
        <SynonymForm ranking={ranking} words={opened.words} onSave={preview} onClose={close} />
      )}
      {opened?.form === 'boost' && (
        <BoostForm ranking={ranking} source={opened.source} query={opened.query} onClose={close} />
      )}
    </>
  )
}

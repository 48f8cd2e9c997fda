// Recommends the multilingual model while many documents are in languages that the model in use does not read.
import { Button, Menu } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { ModelRecommendation } from '../../../../src/client/schemas.ts'
import { ActionsMenu } from '../../parts/actions-menu.tsx'
import { Icon } from '../../parts/icon.tsx'
import { durationText, listText } from '../../parts/text.tsx'
import { language as pageLanguage } from '../../text/language.ts'
import { textsOf } from '../../text/texts.ts'
import { useOverview } from './overview-query.ts'

export function LanguageNotice() {
  const overview = useOverview().data
  const recommendation = overview?.model_recommendation ?? null
  // Nothing is known while the index does not respond.
  const isOver = recommendation === null && overview !== undefined && overview.document_languages !== null
  const { isHidden, hideUntil } = useHidden(isOver)
  if (recommendation === null || overview?.documents == null || isHidden) return null
  return <Notice recommendation={recommendation} documents={overview.documents} hideUntil={hideUntil} />
}

interface NoticeProps {
  recommendation: ModelRecommendation
  documents: number
  hideUntil: (time: number) => void
}

function Notice({ recommendation, documents, hideUntil }: NoticeProps) {
  const t = textsOf('admin.overview.language_notice')
  const { share, passages, estimated_s } = recommendation
  return (
    <section className="card card-pad language-notice" aria-labelledby="language-notice">
      <Icon name="thought" />
      <div className="language-notice-text">
        <h2 id="language-notice">{t('title', { share })}</h2>
        <p className="dimmed small">{listText(languageShares(recommendation, documents))}</p>
        <p>{t('why')}</p>
        <p>
          {t.rich('how', { code: (text) => <code>{text}</code> })}{' '}
          {t('cost', { passages, duration: durationText(estimated_s) })}
        </p>
      </div>
      <DismissNotice title={t('title', { share })} hideUntil={hideUntil} />
    </section>
  )
}

const names = new Intl.DisplayNames(pageLanguage, { type: 'language' })
const MAX_NAMED = 4
/** A smaller share would be shown as 0 %. */
const MIN_SHARE = 0.005

function languageShares({ share, languages }: ModelRecommendation, documents: number): string[] {
  const t = textsOf('admin.overview.language_notice')
  const named = languages
    .map((it) => ({ name: names.of(it.language) ?? it.language, own: it.documents / documents }))
    .filter(({ own }) => own >= MIN_SHARE)
    .slice(0, MAX_NAMED)
  const rest = share - named.reduce((sum, it) => sum + it.own, 0)
  const texts = named.map(({ name, own }) => t('language', { language: name, share: own }))
  return rest < MIN_SHARE ? texts : [...texts, t('others', { share: rest })]
}

const DAY_MS = 86_400_000

function DismissNotice({ title, hideUntil }: Pick<NoticeProps, 'hideUntil'> & { title: string }) {
  const t = textsOf('admin.overview')
  return (
    <ActionsMenu
      button={
        <Button size="xs" variant="subtle" color="gray" aria-label={t('needs_you.dismiss_what', { alert: title })}>
          {t('needs_you.dismiss')}
        </Button>
      }
    >
      <Menu.Item onClick={() => hideUntil(Date.now() + DAY_MS)}>{t('language_notice.for_day')}</Menu.Item>
      <Menu.Item onClick={() => hideUntil(Number.POSITIVE_INFINITY)}>{t('language_notice.for_good')}</Menu.Item>
    </ActionsMenu>
  )
}

/** Until when this browser hides the notice, in epoch milliseconds. */
const HIDDEN_KEY = 'pharos-language-notice-hidden'

function useHidden(isOver: boolean) {
  const [until, setUntil] = useState(() => Number(localStorage.getItem(HIDDEN_KEY)))
  useEffect(() => {
    if (!isOver) return
    localStorage.removeItem(HIDDEN_KEY)
    setUntil(0)
  }, [isOver])
  const hideUntil = (time: number) => {
    localStorage.setItem(HIDDEN_KEY, String(time))
    setUntil(time)
  }
  return { isHidden: until > Date.now(), hideUntil }
}

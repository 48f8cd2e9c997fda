// How the text of a document was read: what it has, what was skipped, and what was left out.
import type { ReactNode } from 'react'
import type { DocumentExtraction } from '../../../../src/client/schemas.ts'
import { formatCount } from '../../parts/text.tsx'
import { language as pageLanguage } from '../../text/language.ts'
import { textsOf } from '../../text/texts.ts'

const languages = new Intl.DisplayNames(pageLanguage, { type: 'language' })

/** Their details say the same again. */
const SAYS_ALL: ReadonlySet<string> = new Set(['no_text', 'password'])

type Fact = 'kind' | 'pages' | 'sections' | 'characters' | 'tables' | 'pictures' | 'language'

export function TextReport({ extraction }: { extraction: DocumentExtraction }) {
  const t = textsOf('admin.documents.extraction')
  const { kind, notices, more_notices, left_out_lines, left_out } = extraction
  return (
    <section className="card card-pad stack" aria-labelledby="extraction">
      <h2 id="extraction">{t('title')}</h2>
      <dl className="document-facts small">
        {factsOf(extraction).map(([name, value]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {notices.length > 0 && (
        <>
          <h3 className="document-subtitle">{t('skipped')}</h3>
          <ul className="small">
            {notices.map(({ code, detail }) => (
              <li key={`${code} ${detail}`}>
                {t(`notices.${code}`)} {!SAYS_ALL.has(code) && <bdi className="dimmed">{detail}</bdi>}
              </li>
            ))}
            {more_notices > 0 && <li>{t('more', { count: more_notices })}</li>}
          </ul>
        </>
      )}
      {left_out_lines > 0 && (
        <>
          <h3 className="document-subtitle">{t('left_out', { count: left_out_lines })}</h3>
          <ul className="small">
            {[...new Set(left_out)].map((line) => (
              <li key={line}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {kind === null && <p className="dimmed small">{t('not_known')}</p>}
    </section>
  )
}

function factsOf(it: DocumentExtraction): [name: Fact, value: ReactNode][] {
  const t = textsOf('admin.documents.extraction')
  const facts: [Fact, ReactNode][] = []
  if (it.kind !== null) facts.push(['kind', it.kind.toUpperCase()])
  if (it.pages !== null) facts.push(['pages', formatCount(it.pages)])
  facts.push(['sections', formatCount(it.sections)], ['characters', formatCount(it.characters)])
  if (it.tables !== null && it.tables > 0) facts.push(['tables', formatCount(it.tables)])
  if (it.pictures > 0) facts.push(['pictures', formatCount(it.pictures)])
  if (it.language !== null) facts.push(['language', it.language === 'und' ? t('other') : languages.of(it.language)])
  return facts
}

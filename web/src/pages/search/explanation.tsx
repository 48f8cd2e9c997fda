// Explains the rank of a result: in words for everyone, in numbers for callers who may see scores.
import type { SearchExplanation } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import { formatScore } from './format-score.ts'
import type { Hit } from './use-results.ts'

export function Explanation({ hit: { explanation } }: { hit: Hit }) {
  if (explanation === null) return null
  const t = textsOf('search.why')
  return (
    <details className="why">
      <summary>{t('title')}</summary>
      <ul>
        {explanation.reasons.map((it) => (
          <li key={it}>{t(`reasons.${it}`)}</li>
        ))}
      </ul>
      {explanation.parts !== null && <ScoreTable parts={explanation.parts} score={explanation.score ?? 0} />}
    </details>
  )
}

function ScoreTable({ parts, score }: { parts: NonNullable<SearchExplanation['parts']>; score: number }) {
  const t = textsOf('search.why')
  return (
    <table>
      <caption className="dimmed small">{t('scores')}</caption>
      <tbody>
        {parts.map(({ name, value }) => (
          <tr key={name}>
            <th scope="row">{t(`parts.${name}`)}</th>
            <td className="number">{formatScore(value)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">{t('total')}</th>
          <td className="number">{formatScore(score)}</td>
        </tr>
      </tbody>
    </table>
  )
}

// Why this document stands where it stands: in words for everybody, in numbers for who may see them.
import type { Hit } from './use-results.ts'

const SHOWN_DIGITS = 3

export function Why({ hit: { explanation } }: { hit: Hit }) {
  if (explanation === null) return null
  return (
    <details className="why">
      <summary>Why this result</summary>
      <ul>
        {explanation.words.map((it) => (
          <li key={it}>{it}</li>
        ))}
      </ul>
      {explanation.parts !== null && (
        <table>
          <caption className="dimmed small">What its score is made of</caption>
          <tbody>
            {explanation.parts.map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{value.toFixed(SHOWN_DIGITS)}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">Sum</th>
              <td className="number">{(explanation.score ?? 0).toFixed(SHOWN_DIGITS)}</td>
            </tr>
          </tbody>
        </table>
      )}
    </details>
  )
}

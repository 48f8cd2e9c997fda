// Explains the rank of a result: in words for everyone, in numbers for callers who may see scores.
import type { Hit } from './use-results.ts'

const FRACTION_DIGITS = 3

export function Explanation({ hit: { explanation } }: { hit: Hit }) {
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
          <caption className="dimmed small">Score breakdown</caption>
          <tbody>
            {explanation.parts.map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{value.toFixed(FRACTION_DIGITS)}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">Total</th>
              <td className="number">{(explanation.score ?? 0).toFixed(FRACTION_DIGITS)}</td>
            </tr>
          </tbody>
        </table>
      )}
    </details>
  )
}

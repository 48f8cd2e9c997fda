// Parses `<meta http-equiv=refresh>`: https://html.spec.whatwg.org/#shared-declarative-refresh-steps

const MAX_CONTENT = 3_000

/** Null if browsers ignore the value or the page reloads itself. */
export function parseRefresh(content: string): { seconds: number; url: string } | null {
  const text = content.slice(0, MAX_CONTENT).trim()
  const seconds = /^\d{0,9}/.exec(text)?.[0] ?? ''
  if (seconds === '' && !text.startsWith('.')) return null
  const rest = text.slice(seconds.length).replace(/^[\d.]+/, '')
  // The number must be followed by `;`, `,` or white space.
  if (!/^[;,\s]/.test(rest)) return null
  const url = parseRefreshUrl(rest.slice(1).trimStart())
  return url === '' ? null : { seconds: Number(seconds), url }
}

/** Accepts `url=x`, `URL = 'x'` or the URL alone. */
function parseRefreshUrl(text: string): string {
  const given = text.startsWith(';') || text.startsWith(',') ? text.slice(1).trimStart() : text
  const urlKey = /^url\s{0,9}=/i.exec(given)
  const address = urlKey === null ? given : given.slice(urlKey[0].length).trimStart()
  const quote = address[0] ?? ''
  if (quote !== '"' && quote !== "'") return address.trim()
  return (address.slice(1).split(quote, 1)[0] ?? '').trim()
}

// Where a text stops being JSON. V8 tells it only at times, so a text that it refused is read a second time, slowly.

/** In characters from the start, at the place where Python's parser, and so FastAPI, puts the fault. */
export function jsonErrorPosition(text: string): number {
  const scan: Scan = { text, at: 0, open: [], expected: 'value' }
  while (step(scan)) {}
  return scan.at - (text.slice(0, scan.at).match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

interface Scan {
  text: string
  at: number
  open: ('object' | 'array')[]
  expected: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end'
}

/** Reads one token. At a fault it answers false, with `at` on the fault. */
function step(scan: Scan): boolean {
  skip(scan, SPACE)
  const next = scan.text[scan.at]
  switch (scan.expected) {
    case 'first value':
      return next === ']' ? close(scan) : value(scan)
    case 'value':
      return value(scan)
    case 'first key':
      return next === '}' ? close(scan) : next === '"' && string(scan, 'colon')
    case 'key':
      return next === '"' && string(scan, 'colon')
    case 'colon':
      return next === ':' && advance(scan, 1, 'value')
    case 'comma': {
      const isObject = scan.open.at(-1) === 'object'
      if (next === ',') return advance(scan, 1, isObject ? 'key' : 'value')
      return next === (isObject ? '}' : ']') && close(scan)
    }
    case 'end':
      return false
  }
}

const SPACE = /[ \t\n\r]*/y
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

function value(scan: Scan): boolean {
  const next = scan.text[scan.at]
  if (next === '"') return string(scan, afterValue(scan))
  if (next === '{') return open(scan, 'object', 'first key')
  if (next === '[') return open(scan, 'array', 'first value')
  const start = scan.at
  skip(scan, SCALAR)
  return scan.at > start && advance(scan, 0, afterValue(scan))
}

function string(scan: Scan, then: Scan['expected']): boolean {
  const start = scan.at
  scan.at += 1
  do skip(scan, PLAIN)
  while (skip(scan, ESCAPE))
  if (scan.text[scan.at] === '"') return advance(scan, 1, then)
  const rest = scan.text.slice(scan.at, scan.at + 2)
  if (rest === '' || rest === '\\') scan.at = start
  if (rest === '\\u') scan.at += 1
  return false
}
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function open(scan: Scan, what: Scan['open'][number], then: Scan['expected']): boolean {
  scan.open.push(what)
  return advance(scan, 1, then)
}

function close(scan: Scan): boolean {
  scan.open.pop()
  return advance(scan, 1, afterValue(scan))
}

const afterValue = (scan: Scan): Scan['expected'] => (scan.open.length === 0 ? 'end' : 'comma')

function advance(scan: Scan, by: number, then: Scan['expected']): boolean {
  scan.at += by
  scan.expected = then
  return true
}

function skip(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at
  const isFound = pattern.test(scan.text)
  if (isFound) scan.at = pattern.lastIndex
  return isFound
}

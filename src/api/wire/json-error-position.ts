// Finds the position of a syntax error in JSON. V8 reports it only sometimes, so invalid text is scanned again.

/** The offset in code points, at the position that Python's parser (and FastAPI) reports. */
export function jsonErrorPosition(text: string): number {
  const scan: JsonScan = { text, at: 0, open: [], expected: 'value' }
  while (readToken(scan)) {}
  return scan.at - (text.slice(0, scan.at).match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

interface JsonScan {
  text: string
  at: number
  open: ('object' | 'array')[]
  expected: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end'
}

/** Reads one token. Returns false at an error, with `at` at its position. */
function readToken(scan: JsonScan): boolean {
  skip(scan, SPACE_PATTERN)
  const next = scan.text[scan.at]
  switch (scan.expected) {
    case 'first value':
      return next === ']' ? closeContainer(scan) : readValue(scan)
    case 'value':
      return readValue(scan)
    case 'first key':
      return next === '}' ? closeContainer(scan) : next === '"' && readString(scan, 'colon')
    case 'key':
      return next === '"' && readString(scan, 'colon')
    case 'colon':
      return next === ':' && advance(scan, 1, 'value')
    case 'comma': {
      const isObject = scan.open.at(-1) === 'object'
      if (next === ',') return advance(scan, 1, isObject ? 'key' : 'value')
      return next === (isObject ? '}' : ']') && closeContainer(scan)
    }
    case 'end':
      return false
  }
}

const SPACE_PATTERN = /[ \t\n\r]*/y
const SCALAR_PATTERN = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y

function readValue(scan: JsonScan): boolean {
  const next = scan.text[scan.at]
  if (next === '"') return readString(scan, afterValue(scan))
  if (next === '{') return openContainer(scan, 'object', 'first key')
  if (next === '[') return openContainer(scan, 'array', 'first value')
  const start = scan.at
  skip(scan, SCALAR_PATTERN)
  return scan.at > start && advance(scan, 0, afterValue(scan))
}

function readString(scan: JsonScan, expectedNext: JsonScan['expected']): boolean {
  const start = scan.at
  scan.at += 1
  do skip(scan, PLAIN_CHARS_PATTERN)
  while (skip(scan, ESCAPE_PATTERN))
  if (scan.text[scan.at] === '"') return advance(scan, 1, expectedNext)
  const rest = scan.text.slice(scan.at, scan.at + 2)
  if (rest === '' || rest === '\\') scan.at = start
  if (rest === '\\u') scan.at += 1
  return false
}
const PLAIN_CHARS_PATTERN = /[^"\\\u0000-\u001f]*/y
const ESCAPE_PATTERN = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function openContainer(scan: JsonScan, kind: JsonScan['open'][number], expectedNext: JsonScan['expected']): boolean {
  scan.open.push(kind)
  return advance(scan, 1, expectedNext)
}

function closeContainer(scan: JsonScan): boolean {
  scan.open.pop()
  return advance(scan, 1, afterValue(scan))
}

const afterValue = (scan: JsonScan): JsonScan['expected'] => (scan.open.length === 0 ? 'end' : 'comma')

function advance(scan: JsonScan, length: number, expectedNext: JsonScan['expected']): boolean {
  scan.at += length
  scan.expected = expectedNext
  return true
}

function skip(scan: JsonScan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at
  const isFound = pattern.test(scan.text)
  if (isFound) scan.at = pattern.lastIndex
  return isFound
}

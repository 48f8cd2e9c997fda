import assert from 'node:assert/strict'
import test from 'node:test'
import { JsonBodyError, parseJsonBody } from './json-body.ts'

const parse = (body: string | Buffer) => parseJsonBody(Buffer.from(body), { maxDepth: 64 })

function errorsOf(body: string | Buffer): unknown {
  try {
    return parse(body)
  } catch (error) {
    if (error instanceof JsonBodyError) return error.errors
    throw error
  }
}

// Error positions of FastAPI.
const invalid: [string, number][] = [
  ['{', 1],
  ['   ', 3],
  ['nul', 0],
  ['-', 0],
  ['\0', 0],
  ['// c\n{"value":1}', 0],
  ['{"value":1,}', 11],
  ['{"a":1,,}', 7],
  ['{"value":1} {}', 12],
  ['{"value":1}x', 11],
  ['{"value":1}\0', 11],
  ['{"value":0x1}', 10],
  ['{"value":01}', 10],
  ['{"value":1.}', 10],
  ['{"value":.5}', 9],
  ['{"value":+1}', 9],
  ["{'value':1}", 1],
  ['{"value":1 /*c*/}', 11],
  ['{"value":tru}', 9],
  ['{"value":\u00a01}', 9],
  ['\n{\n  "value": x}', 14],
  ['{"a" 1}', 5],
  ['{"a":1 "b"}', 7],
  ['{1:2}', 1],
  ['[1,2', 4],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{"a":"b', 5],
  ['{"a":"\\x"}', 6],
  ['{"a":"\\u12"}', 7],
  ['{"a":"\n"}', 6],
  ['{"a":"x\ty"}', 7],
  ['{"a":[{"b":[]}}', 14],
  ['{"é":"é" x}', 9],
  ['{"😀":"😀" x}', 9],
  ['\ufeff{"a" 1}', 5],
  // Python accepts these two; JSON does not.
  ['{"value":NaN}', 9],
  ['{"value":-Infinity}', 9],
]
for (const [body, position] of invalid) {
  test(`${JSON.stringify(body)} has a JSON error at character ${position}`, () => {
    assert.deepEqual(errorsOf(body), [{ loc: ['body', position], msg: 'JSON decode error', type: 'json_invalid' }])
  })
}

const notUtf8: [string, number][] = [
  ['7b2276616c7565223a22ff227d', 10],
  ['22c322', 1],
  ['22efbf22', 1],
  ['22c3a9eda08022', 3],
  ['fffe7b007d00', 0],
  ['22efbfbdf0', 4],
]
for (const [hex, position] of notUtf8) {
  test(`the bytes ${hex} have a UTF-8 error at byte ${position}`, () => {
    const msg = 'JSON decode error, not valid UTF-8'
    assert.deepEqual(errorsOf(Buffer.from(hex, 'hex')), [{ loc: ['body', position], msg, type: 'json_invalid' }])
  })
}

const tooDeep = [{ loc: ['body'], msg: 'JSON is nested deeper than 64 levels', type: 'too_deep' }]
const deep: [string, string][] = [
  ['200,000 nested arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
  ['200,000 arrays that never close', '['.repeat(200_000)],
  ['65 nested objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
  ['65 levels after a text with brackets', `{"a":"\\"]]}\\\\","b":${'['.repeat(64)}${']'.repeat(64)}}`],
]
for (const [name, body] of deep) test(`${name} are too deep`, () => assert.deepEqual(errorsOf(body), tooDeep))

const valid: [string, string | Buffer, unknown][] = [
  ['no body', '', undefined],
  ['a byte order mark', '\ufeff{"value":1}', { value: 1 }],
  ['64 nested arrays', '['.repeat(64) + ']'.repeat(64), JSON.parse('['.repeat(64) + ']'.repeat(64))],
  ['many arrays side by side', `[${'[],'.repeat(1_000)}[]]`, Array(1_001).fill([])],
  ['brackets in a text', JSON.stringify('[{\\"'.repeat(1_000)), '[{\\"'.repeat(1_000)],
  ['the last of two equal keys', '{"value":1,"value":2}', { value: 2 }],
  ['half a surrogate pair as an escape', '"\\ud800"', '\ud800'],
  ['null', 'null', null],
]
for (const [name, body, value] of valid) test(`${name} is accepted`, () => assert.deepEqual(parse(body), value))

test('__proto__ is a key like any other', () => {
  const value = parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as object
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.equal(({} as { polluted?: number }).polluted, undefined)
})

test('the error keeps its cause', () => {
  assert.throws(
    () => parse('{'),
    (error: Error) => error.cause instanceof SyntaxError,
  )
})

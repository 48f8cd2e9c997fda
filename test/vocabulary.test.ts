// The words of the glossary: its lists say what no name and no text may contain.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'

const GLOSSARY = readFileSync('docs/glossary.md', 'utf8')
const MAX_DECLARATIONS = 2

/** The first column of a fenced list; two spaces end it. */
function listed(name: string): string[] {
  const [, body = ''] = GLOSSARY.split(`\`\`\`${name}\n`)
  return body
    .slice(0, body.indexOf('```'))
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  ')[0]!.trim())
}

function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((it) => join(folder, it).replaceAll('\\', '/'))
    .filter((it) => pattern.test(it))
}

const CODE = /\.(?:ts|tsx)$/
const GENERATED = /^src\/client\/(?:schemas|operations)\.ts$/
const code = ['src', 'web/src', 'test', 'bench', 'docs']
  .flatMap((it) => filesIn(it, CODE))
  .filter((it) => !GENERATED.test(it) && it !== 'test/vocabulary.test.ts')
/** Comments and literals; a template keeps what it computes, which is code. */
const NOT_CODE = /\/\/.*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g
const identifiersOf = (text: string) => new Set(text.replace(NOT_CODE, ' ').match(/[A-Za-z_$][\w$]*/g))

const parts = (name: string): string =>
  ` ${name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase()} `

test('no identifier and no file name contains a banned word', () => {
  const banned = listed('banned-identifiers').map(parts)
  assert.ok(banned.length > 10 && code.length > 800)
  const found = code.flatMap((file) =>
    [basename(file), ...identifiersOf(readFileSync(file, 'utf8'))]
      .filter((name) => banned.some((it) => parts(name).includes(it)))
      .map((name) => `${file}: ${name}`),
  )
  assert.deepEqual(found, [])
})

test('no name is declared as a type in more than two files of the program', () => {
  const files = new Map<string, Set<string>>()
  for (const file of code.filter((it) => it.startsWith('src/'))) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^\s*(?:export )?(?:abstract )?(?:interface|class|type(?= \w+(?:<[^=\n]*)? =)) (\w+)/gm,
    ))
      files.set(name, (files.get(name) ?? new Set()).add(file))
  }
  assert.ok(files.size > 1_000)
  const tooMany = [...files].filter(([, where]) => where.size > MAX_DECLARATIONS).map(([name]) => name)
  assert.deepEqual(tooMany, [])
})

const texts = [
  ...['README.md', 'SECURITY.md', 'ARCHITECTURE.md', 'STYLE.md', 'CHANGELOG.md', 'docs/openapi.json'],
  ...filesIn('docs', /^docs\/[\w-]+\.md$/).filter((it) => it !== 'docs/glossary.md'),
  // The prompts of models are tuned as they are, and the injection patterns quote attackers.
  ...code.filter(
    (it) => /^(?:src|web\/src)\//.test(it) && !/\.test\.|\/prompt\.ts$|\/injection-patterns\.ts$/.test(it),
  ),
]

test('no text of the service, its pages and its documents contains a banned word', () => {
  const banned = listed('banned-texts')
  assert.ok(banned.length > 4)
  const pattern = new RegExp(`\\b(?:${banned.map((it) => RegExp.escape(it)).join('|')})\\b`, 'i')
  const found = texts.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}: ${line.trim().slice(0, 120)}`] : [])),
  )
  assert.deepEqual(found, [])
})

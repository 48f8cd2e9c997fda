// Names and sentences: the lists of the glossary ban words, and sentences begin as STYLE.md says.
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

const DOCUMENTS = [
  'README.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'STYLE.md',
  'CHANGELOG.md',
  ...['docs', 'models'].flatMap((it) => filesIn(it, /\.md$/)),
]
// The prompts of models are tuned as they are, the injection patterns quote attackers, and tests have data of any kind.
const QUOTING = /\.test\.|^test\/|\/prompt\.ts$|\/injection-patterns\.ts$/
const programs = [...code, 'start.mjs', ...filesIn('start', /\.mjs$/), 'web/build.mjs', 'web/vite.config.ts']

/** Comments of a program: each docstring and each block of line comments as one text. */
const commentsOf = (text: string): string[] =>
  (text.match(/(?:^[ \t]*\/\/ .*\n?)+|\/\*\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|[;,{)] \/\/ .*/gm) ?? []).map((it) =>
    it.replaceAll(/^[ \t]*(?:[;,{)] )?(?:\/\/|\/?\*+\/?) ?|\*\/$/gm, '').replaceAll(/\s+/g, ' '),
  )

const TITLE =
  /^[ \t]*(?:await )?(?:test|it|describe|inBrowser|row|t\.test)\(\s*(?:'((?:[^'\\\n]|\\.)+)'|"([^"\n]+)"|`([^`]+)`)/gm
const titlesOf = (text: string): string[] => [...text.matchAll(TITLE)].map(([, a, b, c]) => a ?? b ?? c ?? '')

test('no text of the program, its tests and its documents contains a banned word', () => {
  const banned = listed('banned-texts')
  assert.ok(banned.length > 4)
  const pattern = new RegExp(`\\b(?:${banned.map((it) => RegExp.escape(it)).join('|')})\\b`, 'i')
  const whole = [
    ...DOCUMENTS.filter((it) => it !== 'docs/glossary.md'),
    'docs/openapi.json',
    ...programs.filter((it) => !QUOTING.test(it)),
  ]
  const found = whole.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}: ${line.trim().slice(0, 120)}`] : [])),
  )
  const inTests = programs
    .filter((it) => QUOTING.test(it) && !it.endsWith('/injection-patterns.ts'))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      return [...commentsOf(text), ...titlesOf(text)].filter((it) => pattern.test(it)).map((it) => `${file}: ${it}`)
    })
  assert.deepEqual([...found, ...inTests], [])
})

/** A relative clause or a bare preposition before the subject; questions and labels such as "**What.**" are not meant. */
const BACKWARDS =
  /(?:^|[.!?:] )(?:(?:What|Who|Whoever|Whatever|Whose|Whom)\b|(?:Of|By|To) (?:the|a|an|what|whom|which|one|all|each|these|those)\b)[^.!?]*(?:[.!]|$)/

test('no sentence of a comment or a document begins with a relative clause or a bare preposition', () => {
  assert.match('Runs. Who leaves ends the run.', BACKWARDS)
  assert.doesNotMatch('Runs. Who leaves?', BACKWARDS)
  const inComments = programs.flatMap((file) =>
    commentsOf(readFileSync(file, 'utf8')).flatMap((it) => (BACKWARDS.test(it) ? [`${file}: ${it}`] : [])),
  )
  const inDocuments = DOCUMENTS.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^(?:#|\||\*\*What\.\*\*)/.test(line) && BACKWARDS.test(line.replace(/^(?:[-*]|\d+\.) /, '')))
      .map((line) => `${file}: ${line}`),
  )
  assert.deepEqual([...inComments, ...inDocuments], [])
})

test('a test title states the behaviour: it begins with neither a relative clause nor a code', () => {
  const titles = code.flatMap((file) => titlesOf(readFileSync(file, 'utf8')).map((it) => [file, it] as const))
  assert.ok(titles.length > 2_000)
  const found = titles.filter(([, it]) =>
    /^(?:[A-Z]\d+ |(?:what|who|whoever|whatever|whose|whom|of|nor|but)\b)/i.test(it),
  )
  assert.deepEqual(found, [])
})

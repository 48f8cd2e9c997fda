// The help for the keyboard and the keys that the pages handle are compared.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { wordAtCaret } from '../../web/src/pages/chat/word-at-caret.ts'
import { helpedKeys, KEY_GROUPS, type KeyGroup, keyTexts } from '../../web/src/parts/key-help.ts'
import './english.ts'

/** The group that explains the keys of a file. */
const GROUP_OF: Record<string, KeyGroup> = {
  'parts/keyboard-help.tsx': 'everywhere',
  'shell/palette/palette-key.tsx': 'everywhere',
  'shell/palette/palette.tsx': 'palette',
  'pages/search/search-box.tsx': 'search',
  'pages/search/use-search-keys.ts': 'search',
  'pages/chat/use-chat-keys.ts': 'chat',
  'pages/chat/composer.tsx': 'chat',
  'pages/projects/ask-in-project.tsx': 'chat',
  'pages/chat/use-completion.tsx': 'question',
  'pages/chat/question-view.tsx': 'editor',
}

/** Keys that work as on every control of their kind. */
const USUAL_CONTROLS = [
  'parts/share-fields.tsx',
  'pages/people/group-picker.tsx',
  'pages/connector/run-timeline.tsx',
  'pages/chat/regenerate-choice.tsx',
]

const ROOT = 'web/src/'
const handled = new Map(
  globSync(`${ROOT}**/*.{ts,tsx}`).flatMap((path) => {
    const keys = readFileSync(path, 'utf8').matchAll(/\bevent\.key(?:\.toLowerCase\(\))? [!=]== '([^']+)'/g)
    const names = new Set([...keys].map(([, key = '']) => key))
    return names.size === 0 ? [] : [[path.slice(ROOT.length).replaceAll('\\', '/'), names] as const]
  }),
)

test('the help knows every file that handles keys', () => {
  const known = [...Object.keys(GROUP_OF), ...USUAL_CONTROLS]
  assert.deepEqual([...handled.keys()].toSorted(), known.toSorted())
})

const withoutModifier = (key: string): string => key.slice(key.lastIndexOf('+') + 1)

for (const group of KEY_GROUPS) {
  test(`the help explains each key that is handled, and no other: ${group}`, () => {
    const files = Object.entries(GROUP_OF).filter(([, it]) => it === group)
    const keys = files.flatMap(([path]) => [...(handled.get(path) ?? [])])
    const signs = group === 'question' ? ['@', '/'].filter((it) => wordAtCaret(it, 1)?.sign === it) : []
    const expected = new Set([...keys, ...signs])
    assert.deepEqual([...new Set(helpedKeys(group).map(withoutModifier))].toSorted(), [...expected].toSorted())
  })
}

test('no key stands twice in a group, and each has a text', () => {
  for (const group of KEY_GROUPS) {
    const texts = keyTexts(group)
    assert.equal(new Set(texts.map(([key]) => key)).size, texts.length)
    for (const [key, what] of texts) assert.ok(key !== '' && what !== '')
  }
})

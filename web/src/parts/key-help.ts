// The keys of the pages, with what they do. A test compares them with the keys that the pages handle.
import { textsOf } from '../text/texts.ts'

/** The names of keys are those of the browser. */
const GROUPS = {
  everywhere: [
    { keys: ['Ctrl+k'], what: 'palette' },
    { keys: ['?'], what: 'all' },
  ],
  palette: [
    { keys: ['ArrowDown', 'ArrowUp'], what: 'move_suggestions' },
    { keys: ['Enter'], what: 'go' },
  ],
  search: [
    { keys: ['/'], what: 'search_box' },
    { keys: ['ArrowDown', 'ArrowUp'], what: 'move' },
    { keys: ['Enter'], what: 'open' },
    { keys: ['Escape'], what: 'back' },
  ],
  chat: [
    { keys: ['/'], what: 'question_field' },
    { keys: ['Enter'], what: 'send' },
    { keys: ['Shift+Enter'], what: 'new_line' },
    { keys: ['Escape'], what: 'stop' },
  ],
  question: [
    { keys: ['@'], what: 'one_source' },
    { keys: ['/'], what: 'prompt' },
    { keys: ['ArrowDown', 'ArrowUp'], what: 'move_suggestions' },
    { keys: ['Enter', 'Tab'], what: 'take' },
    { keys: ['Escape'], what: 'close_suggestions' },
  ],
  editor: [
    { keys: ['Enter'], what: 'ask_edited' },
    { keys: ['Shift+Enter'], what: 'new_line' },
    { keys: ['Escape'], what: 'keep_question' },
  ],
} as const

export type KeyGroup = keyof typeof GROUPS
export const KEY_GROUPS = [
  'everywhere',
  'palette',
  'search',
  'chat',
  'question',
  'editor',
] as const satisfies KeyGroup[]

/** Each key with what it does. */
export const keyTexts = (group: KeyGroup): (readonly [key: string, what: string])[] =>
  GROUPS[group].map(({ keys, what }) => [keyLabel(keys), textsOf('keys')(what)])

/** Shift and Ctrl precede the key that is held with them. */
export const helpedKeys = (group: KeyGroup): string[] => GROUPS[group].flatMap((it) => [...it.keys])

function keyLabel(keys: readonly string[]): string {
  const t = textsOf('keys')
  const names: Record<string, string> = {
    'Ctrl+k': t('palette_key'),
    'Shift+Enter': t('shift_enter'),
    Enter: t('enter'),
    Tab: t('tab'),
    Escape: t('escape'),
    ArrowDown: '↓',
    ArrowUp: '↑',
  }
  return keys.map((it) => names[it] ?? it).join(keys[0] === 'ArrowDown' ? ' ' : ' / ')
}

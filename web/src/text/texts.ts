// The texts of the pages, by namespace: `textsOf('search')('title')` is the text `search.title` of en.json or de.json.
import { createTranslator, type NamespaceKeys, type NestedKeyOf } from 'use-intl/core'
import type en from './en.json'
import { language, timeZone } from './language.ts'

type Messages = typeof en
/** `admin.people` names the texts of one page. */
export type Namespace = NamespaceKeys<Messages, NestedKeyOf<Messages>>
export type Texts<It extends Namespace> = ReturnType<typeof createTranslator<Messages, It>>

/** Empty until `addTexts`. */
let messages: Messages = JSON.parse('{}')
const translators = new Map<string, unknown>()

/** Pages use texts only after the file, or its part, was loaded: `load-texts.ts`. */
export function addTexts(part: Partial<Messages>): void {
  messages = { ...messages, ...part }
  translators.clear()
}

/**
 * Formats the texts of a namespace: `t('title')`, `t('found', { count })`, and `t.rich` for texts with elements. An
 * unknown key does not compile; test/web/texts.test.ts finds missing arguments and unused texts.
 */
export function textsOf<It extends Namespace>(namespace: It): Texts<It> {
  const known = translators.get(namespace)
  if (known !== undefined) return known as Texts<It>
  const translator = createTranslator<Messages, It>({ locale: language, messages, namespace, timeZone })
  translators.set(namespace, translator)
  return translator
}

/** The keys directly in a namespace, in the order of the file: for lists whose entries are texts. */
export function keysIn(namespace: Namespace): string[] {
  let texts: unknown = messages
  for (const key of namespace.split('.'))
    texts = typeof texts === 'object' && texts !== null ? new Map(Object.entries(texts)).get(key) : undefined
  return typeof texts === 'object' && texts !== null ? Object.keys(texts) : []
}

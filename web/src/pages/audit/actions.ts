// The actions of the audit and their types. The texts name them, so a new action takes two texts in each language:
// `admin.audit.done` and `admin.audit.actions`.
import type { MessageKeys, NestedKeyOf } from 'use-intl/core'
import type en from '../../text/en.json'
import { language } from '../../text/language.ts'
import { keysIn, textsOf } from '../../text/texts.ts'

type Actions = typeof en.admin.audit.actions
/** Type of the object and verb: `api_key.create`. */
export type Action = MessageKeys<Actions, NestedKeyOf<Actions>>
export type ObjectType = keyof Actions

export const isObjectType = (it: string): it is ObjectType => keysIn('admin.audit.actions').includes(it)

export function isAction(it: string): it is Action {
  const [type = '', verb = ''] = it.split('.')
  return isObjectType(type) && keysIn(`admin.audit.actions.${type}`).includes(verb)
}

/** In the order of the filter. */
export const objectTypes = (): ObjectType[] => keysIn('admin.audit.types').filter(isObjectType)

export const actionsOf = (type: ObjectType): Action[] =>
  keysIn(`admin.audit.actions.${type}`)
    .map((verb) => `${type}.${verb}`)
    .filter(isAction)

/** The action without its object, as a choice: "Delete the key …". */
export function actionLabel(action: Action): string {
  const t = textsOf('admin.audit')
  const short = t(`actions.${action}`, { object: '_' })
  // An object in parentheses is left out for `_`.
  const text = short.includes('_') ? t(`actions.${action}`, { object: '…' }) : short
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1)
}

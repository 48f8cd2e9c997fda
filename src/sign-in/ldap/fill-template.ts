// Puts the texts of a stranger into filters and names of entries.
import { DN, Filter } from 'ldapts'

/** `{username}` and `{dn}` become values that cannot change the filter. */
export const fillFilter = (filter: string, values: Readonly<Record<string, string>>): string =>
  fill(filter, values, (value) => Filter.escape(value))

/** `{username}` becomes the value of one attribute that cannot add another. */
export const fillName = (template: string, username: string): string =>
  fill(template, { username }, (value) => new DN({ x: value }).toString().slice('x='.length))

/** One pass: a value that contains a placeholder is not filled again. */
const fill = (
  template: string,
  values: Readonly<Record<string, string>>,
  escapeValue: (value: string) => string,
): string =>
  template.replaceAll(/\{(username|dn)\}/g, (placeholder, name: string) => {
    const value = values[name]
    return value === undefined ? placeholder : escapeValue(value)
  })

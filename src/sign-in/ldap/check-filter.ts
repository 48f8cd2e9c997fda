// Says whether a filter of the settings can be read.
import { FilterParser } from 'ldapts'
import { fillFilter } from './fill-template.ts'

export function isFilter(filter: string): boolean {
  try {
    FilterParser.parseString(fillFilter(filter, { username: 'x', dn: 'x' }))
    return filter.startsWith('(')
  } catch {
    return false
  }
}

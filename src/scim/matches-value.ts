// Decides whether one value of an attribute with several values matches the filter of a path.
import { AppError } from '../domain/errors.ts'
import type { ScimFilter, ScimOperator, ScimValue } from '../domain/scim/filter.ts'
import type { ScimEmail } from '../domain/scim/user.ts'

export function matchesValue(filter: ScimFilter, email: ScimEmail): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((it) => matchesValue(it, email))
    case 'or':
      return filter.filters.some((it) => matchesValue(it, email))
    case 'not':
      return !matchesValue(filter.filter, email)
    case 'present':
      return partOf(email, filter.attribute) !== null
    case 'compare':
      return compare(partOf(email, filter.attribute), filter.operator, filter.value)
    case 'some':
      throw unknownPart(filter.attribute)
  }
}

function partOf({ value, type, primary }: ScimEmail, attribute: string): string | boolean | null {
  if (attribute === 'value') return value
  if (attribute === 'type') return type
  if (attribute === 'primary') return primary
  throw unknownPart(attribute)
}

const unknownPart = (attribute: string) =>
  new AppError('SCIM_INVALID_FILTER', { reason: `An e-mail has no attribute "${attribute}".` })

function compare(part: string | boolean | null, operator: ScimOperator, value: ScimValue): boolean {
  if (part === null || typeof part === 'boolean') {
    const isEqual = part === value
    return operator === 'eq' ? isEqual : operator === 'ne' && !isEqual
  }
  const [a, b] = [part.toLowerCase(), String(value).toLowerCase()]
  const outcomes: Record<ScimOperator, boolean> = {
    eq: a === b,
    ne: a !== b,
    co: a.includes(b),
    sw: a.startsWith(b),
    ew: a.endsWith(b),
    gt: a > b,
    ge: a >= b,
    lt: a < b,
    le: a <= b,
  }
  return outcomes[operator]
}

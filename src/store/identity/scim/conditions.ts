// Turns filters of SCIM into conditions of SQL. Values are always parameters.
import { type RawBuilder, sql } from 'kysely'
import { AppError } from '../../../domain/errors.ts'
import type { ScimFilter, ScimOperator, ScimValue } from '../../../domain/scim/filter.ts'
import { lowerAscii } from '../../../domain/values/like-part.ts'

type Condition = RawBuilder<boolean>

/** How an attribute is compared. `key`: the column is in lower case. */
type Attribute =
  | { type: 'exact' | 'folded' | 'key'; column: string }
  | { type: 'flag' | 'time' | 'number'; column: string }
  /** Conditions on one of several values. */
  | { type: 'several'; some: (condition: Condition) => Condition; parts: Attributes }

type Attributes = Readonly<Record<string, Attribute>>
const VALUE = 'value'

const EMAILS: Attribute = {
  type: 'several',
  some: (it) => sql`exists (select 1 from scim_email where scim_email.person_id = scim_user.person_id and ${it})`,
  parts: {
    value: { type: 'key', column: 'scim_email.value_key' },
    type: { type: 'folded', column: 'scim_email.type' },
    primary: { type: 'flag', column: 'scim_email.is_primary' },
  },
}
const USER_ATTRIBUTES: Attributes = {
  id: { type: 'exact', column: 'scim_user.person_id' },
  username: { type: 'key', column: 'scim_user.user_name_key' },
  externalid: { type: 'exact', column: 'scim_user.external_id' },
  displayname: { type: 'folded', column: 'scim_user.display_name' },
  'name.formatted': { type: 'folded', column: 'scim_user.formatted_name' },
  'name.givenname': { type: 'folded', column: 'scim_user.given_name' },
  'name.familyname': { type: 'folded', column: 'scim_user.family_name' },
  active: { type: 'flag', column: 'person.is_active' },
  'meta.created': { type: 'time', column: 'scim_user.time_created' },
  'meta.lastmodified': { type: 'time', column: 'scim_user.time_updated' },
  emails: EMAILS,
}
const GROUP_ATTRIBUTES: Attributes = {
  id: { type: 'number', column: 'user_group.id' },
  displayname: { type: 'folded', column: 'user_group.name' },
  externalid: { type: 'exact', column: 'scim_group.external_id' },
  'meta.created': { type: 'time', column: 'user_group.time_created' },
  'meta.lastmodified': { type: 'time', column: 'user_group.time_updated' },
  members: {
    type: 'several',
    some: (it) => sql`exists (select 1 from user_group_member where group_id = user_group.id and ${it})`,
    parts: { value: { type: 'exact', column: 'user_group_member.person_id' } },
  },
}

/** SCIM_INVALID_FILTER: an attribute is unknown, or it is not compared this way. */
export const userCondition = (filter: ScimFilter): Condition => toCondition(filter, USER_ATTRIBUTES)
export const groupCondition = (filter: ScimFilter): Condition => toCondition(filter, GROUP_ATTRIBUTES)

function toCondition(filter: ScimFilter, attributes: Attributes): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((it) => toCondition(it, attributes))
      return sql`(${sql.join(parts, filter.kind === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'not':
      return sql`not coalesce(${toCondition(filter.filter, attributes)}, false)`
    case 'some': {
      const several = findAttribute(attributes, filter.attribute)
      if (several.type !== 'several') throw unfit(`"${filter.attribute}" has one value.`)
      return several.some(toCondition(filter.filter, several.parts))
    }
    case 'present':
      return onAttribute(attributes, filter.attribute, isPresent)
    case 'compare': {
      const { operator, value } = filter
      return onAttribute(attributes, filter.attribute, (it) => compare(it, operator, value))
    }
  }
}

type OneValue = Exclude<Attribute, { type: 'several' }>

/** `emails` stands for `emails.value`. */
function onAttribute(attributes: Attributes, name: string, make: (attribute: OneValue) => Condition): Condition {
  const [head = '', part = VALUE] = Object.hasOwn(attributes, name) ? [name] : name.split('.', 2)
  const attribute = findAttribute(attributes, head)
  if (attribute.type === 'several') return attribute.some(onAttribute(attribute.parts, part, make))
  if (head !== name) throw unfit(`"${name}" is no attribute that can be compared.`)
  return make(attribute)
}

function findAttribute(attributes: Attributes, name: string): Attribute {
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  if (attribute === undefined) throw unfit(`"${name}" is no attribute that can be compared.`)
  return attribute
}

const unfit = (reason: string) => new AppError('SCIM_INVALID_FILTER', { reason })

const isPresent = ({ column }: OneValue): Condition => sql`${sql.ref(column)} is not null`

function compare({ type, column }: OneValue, operator: ScimOperator, value: ScimValue): Condition {
  const ref = sql.ref(column)
  if (value === null) {
    if (operator === 'eq') return sql`${ref} is null`
    if (operator === 'ne') return sql`${ref} is not null`
    throw unfit('null can only be compared with eq and ne.')
  }
  switch (type) {
    case 'exact':
      return compareTexts(ref, sql`cast(${String(value)} as text)`, operator, value)
    case 'key':
      return compareTexts(ref, sql`cast(${String(value).toLowerCase()} as text)`, operator, value)
    case 'folded':
      return compareTexts(sql`lower(${ref})`, sql`cast(${lowerAscii(String(value))} as text)`, operator, value)
    case 'flag':
      return compareNumbers(ref, operator, readFlag(value), ['eq', 'ne'])
    case 'number':
      return compareNumbers(ref, operator, readId(value), ['eq', 'ne'])
    case 'time':
      return compareNumbers(ref, operator, readTime(value), ['eq', 'ne', 'gt', 'ge', 'lt', 'le'])
  }
}

/** Works alike in both databases, without patterns: neither takes more time for one value than for another. */
function compareTexts(
  text: RawBuilder<unknown>,
  wanted: RawBuilder<unknown>,
  operator: ScimOperator,
  value: ScimValue,
): Condition {
  if (value === '' && (operator === 'co' || operator === 'sw' || operator === 'ew')) return sql`${text} is not null`
  switch (operator) {
    case 'co':
      return sql`replace(${text}, ${wanted}, '') <> ${text}`
    case 'sw':
      return sql`substr(${text}, 1, length(${wanted})) = ${wanted}`
    case 'ew':
      return sql`(length(${text}) >= length(${wanted}) and substr(${text}, length(${text}) - length(${wanted}) + 1) = ${wanted})`
    case 'ne':
      return sql`(${text} is null or ${text} <> ${wanted})`
    default:
      return sql`${text} ${COMPARISONS[operator]} ${wanted}`
  }
}

const COMPARISONS = { eq: sql`=`, ne: sql`<>`, gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const

function compareNumbers(
  number: RawBuilder<unknown>,
  operator: ScimOperator,
  value: number,
  permitted: readonly ScimOperator[],
): Condition {
  if (!permitted.includes(operator) || operator === 'co' || operator === 'sw' || operator === 'ew')
    throw unfit(`This attribute cannot be compared with ${operator}.`)
  return sql`${number} ${COMPARISONS[operator]} ${value}`
}

function readFlag(value: ScimValue): number {
  const word = String(value).toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true' ? 1 : 0
  throw unfit('The value must be true or false.')
}

/** No object has a negative id. */
const readId = (value: ScimValue): number => (/^\d{1,15}$/.test(String(value)) ? Number(value) : -1)

function readTime(value: ScimValue): number {
  const text = String(value)
  const millis = text.length > 40 ? Number.NaN : Date.parse(text)
  if (Number.isNaN(millis)) throw unfit('The value must be a time such as "2030-01-31T12:00:00Z".')
  return millis
}

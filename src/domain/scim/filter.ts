// A filter of SCIM (RFC 7644, 3.4.2.2) after parsing. Attribute names are in lower case, without the name of their schema.

export const SCIM_OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type ScimOperator = (typeof SCIM_OPERATORS)[number]
export type ScimValue = string | number | boolean | null

export type ScimFilter =
  | { kind: 'and' | 'or'; filters: readonly ScimFilter[] }
  | { kind: 'not'; filter: ScimFilter }
  | { kind: 'present'; attribute: string }
  | { kind: 'compare'; attribute: string; operator: ScimOperator; value: ScimValue }
  /** `emails[type eq "work"]`: one value of the attribute matches the filter. */
  | { kind: 'some'; attribute: string; filter: ScimFilter }

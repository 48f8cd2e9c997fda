// The body of an error of SCIM (RFC 7644, 3.12).
import type { ErrorCode } from '../domain/errors.ts'
import { ERROR_SCHEMA } from './schemas.ts'

const SCIM_TYPES: Partial<Record<ErrorCode, string>> = {
  SCIM_UNIQUENESS: 'uniqueness',
  SCIM_INVALID_FILTER: 'invalidFilter',
  SCIM_INVALID_PATH: 'invalidPath',
  SCIM_INVALID_SYNTAX: 'invalidSyntax',
  SCIM_INVALID_VALUE: 'invalidValue',
  SCIM_MUTABILITY: 'mutability',
  SCIM_NO_TARGET: 'noTarget',
}

/** `status` is a text, as the RFC says. */
export function scimError({ code, status, message }: { code: ErrorCode; status: number; message: string }): object {
  const scimType = SCIM_TYPES[code]
  return { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType && { scimType }), detail: message }
}

// Reads the message of PATCH (RFC 7644, 3.5.2), in the dialects of Entra ID and Okta too.
import { AppError } from '../domain/errors.ts'
import { isIgnored, isObject, readAttributes } from './attributes.ts'
import { parsePath, type ScimPath } from './filter.ts'

const MAX_OPERATIONS = 1_000
const OPERATIONS = ['add', 'remove', 'replace'] as const

export interface PatchOperation {
  op: (typeof OPERATIONS)[number]
  path: ScimPath
  value: unknown
}

/**
 * An operation without a path is split into one for each attribute of its value. Operations on attributes that the
 * service does not keep are left out. SCIM_INVALID_SYNTAX, SCIM_INVALID_PATH.
 */
export function readPatch(body: unknown): PatchOperation[] {
  const list = readAttributes(body, 'The message').get('operations')
  if (!Array.isArray(list)) throw invalidSyntax('Operations must be a list.')
  if (list.length > MAX_OPERATIONS) throw invalidSyntax(`There are more than ${MAX_OPERATIONS} operations.`)
  return list.flatMap(readOperation)
}

function readOperation(sent: unknown): PatchOperation[] {
  const operation = readAttributes(sent, 'An operation')
  const word = operation.get('op')
  const op = OPERATIONS.find((it) => typeof word === 'string' && it === word.toLowerCase())
  if (op === undefined) throw invalidSyntax('op must be add, remove or replace.')
  const [path, value] = [operation.get('path'), operation.get('value')]
  if (path === undefined || path === null || path === '') return splitValue(op, value)
  if (typeof path !== 'string') throw invalidSyntax('path must be a text.')
  return isIgnored(path) ? [] : [{ op, path: parsePath(path), value }]
}

function splitValue(op: PatchOperation['op'], value: unknown): PatchOperation[] {
  if (op === 'remove') throw new AppError('SCIM_NO_TARGET', { path: '' })
  if (!isObject(value)) throw invalidSyntax('value must be a JSON object if there is no path.')
  return Object.entries(value)
    .filter(([name]) => !isIgnored(name))
    .map(([name, it]) => ({ op, path: parsePath(name), value: it }))
}

export const invalidSyntax = (reason: string) => new AppError('SCIM_INVALID_SYNTAX', { reason })

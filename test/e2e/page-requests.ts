// Records which operations of the API each page calls while browser tests run: `npm test` compares them with
// page-operations.txt after all browser tests.
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page, Request, Response } from 'playwright-core'
import { PAGES } from '../../src/api/http/panel.ts'

/** The folder for the records of a run; unset outside of whole runs. */
const FOLDER = 'TEST_PAGE_REQUESTS'
const TABLE = 'test/e2e/page-operations.txt'

interface Description {
  paths: Record<string, Record<string, { operationId: string }>>
}

export interface Operation {
  id: string
  method: string
  path: string
}

/** All operations of the published description. */
export function listOperations(): Operation[] {
  const { paths }: Description = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ id: operationId, method, path })),
  )
}

/** Notes each successful call of the API by a page of this context, until `stop`. */
export function recordPageRequests(context: BrowserContext, url: string): { stop(): void } {
  const folder = process.env[FOLDER]
  if (folder === undefined || folder === '') return { stop() {} }
  // A path without a parameter comes before one that has it in the same place: `/users/csv` before `/users/{user_id}`.
  const operations = listOperations()
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)
    .map(({ id, method, path }) => ({ id, method, matches: matcher(path) }))
  const note = (method: string, asked: string, from: string) => {
    const { origin, pathname } = new URL(asked)
    if (origin !== url || !pathname.startsWith('/api/')) return
    const path = pathname.slice('/api'.length)
    const called = operations.find((it) => it.method.toUpperCase() === method && it.matches(path))
    const page = pageOf(from)
    if (called !== undefined && page !== undefined)
      appendFileSync(join(folder, `${process.pid}.txt`), `${called.id} ${page}\n`)
  }
  // The page that sent a request may have been left before the response arrives.
  const sentFrom = new WeakMap<Request, string>()
  const onRequest = (request: Request) => {
    if (!request.isNavigationRequest()) sentFrom.set(request, request.frame().url())
  }
  const onResponse = (response: Response) => {
    const request = response.request()
    const from = sentFrom.get(request)
    if (response.ok() && from !== undefined) note(request.method(), request.url(), from)
  }
  // A file that the browser saves is no response of the page. It begins after the first bytes of a success.
  const onPage = (page: Page) => page.on('download', (it) => note('GET', it.url(), page.url()))
  context.on('request', onRequest).on('response', onResponse).on('page', onPage)
  return { stop: () => void context.off('request', onRequest).off('response', onResponse).off('page', onPage) }
}

/** The page at this address, as `PAGES` spells it. */
function pageOf(from: string): string | undefined {
  const { pathname } = new URL(from)
  return PAGES.find((it) => matcher(it.replaceAll(/:\w{1,40}/g, '{id}'))(pathname))
}

/** Whether a path has the form of a template: `/a/{id}` fits `/a/7`. */
function matcher(template: string): (path: string) => boolean {
  const parts = template.split('/')
  return (path) => {
    const given = path.split('/')
    return (
      given.length === parts.length &&
      parts.every((it, at) => (it.startsWith('{') ? given[at] !== '' : it === given[at]))
    )
  }
}

/** Rows `operation page` of a text file; lines that begin with # explain. */
export const readRows = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((it) => it !== '' && !it.startsWith('#'))

export const readPageOperations = (): string[] => readRows(TABLE)

/** The operations and pages that the browser tests of a run recorded. */
export function recordedRows(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : []
  return [...new Set(files.flatMap((it) => readRows(join(folder, it))))].sort()
}

/** Rows of the table that no browser test has confirmed: their page did not send the request, or got no success. */
export function unconfirmedRows(folder: string): string[] {
  const seen = new Set(recordedRows(folder))
  return readPageOperations().filter((it) => !seen.has(it))
}

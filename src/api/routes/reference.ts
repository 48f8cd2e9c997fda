import { z } from 'zod'
import { openApi } from '../openapi.ts'
import { referencePage, STYLE_PATH, styleSheet } from '../reference-page.ts'
import { type AnyRoute, route } from '../route.ts'

/** The description of the other routes, for programs and for people. */
export function referenceRoutes(routes: readonly AnyRoute[]): AnyRoute[] {
  const description = openApi(routes)
  const page = referencePage(description)
  return [
    route({
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      tag: 'State',
      summary: 'This interface as OpenAPI 3.1',
      isHidden: true,
      reply: z.record(z.string(), z.unknown()),
      handle: () => description,
    }),
    route({
      method: 'GET',
      path: '/docs',
      access: 'public',
      tag: 'State',
      summary: 'This interface as a page',
      isHidden: true,
      reply: z.string(),
      mediaType: 'text/html; charset=utf-8',
      handle: () => page,
    }),
    route({
      method: 'GET',
      path: STYLE_PATH,
      access: 'public',
      tag: 'State',
      summary: 'The style of that page',
      isHidden: true,
      reply: z.string(),
      mediaType: 'text/css; charset=utf-8',
      handle: () => styleSheet,
    }),
  ]
}

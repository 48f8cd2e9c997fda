import { z } from 'zod'
import { openApi } from '../../openapi/openapi.ts'
import {
  referencePage,
  referenceScript,
  referenceStyleSheet,
  SCRIPT_PATH,
  STYLE_PATH,
} from '../../openapi/reference-page.ts'
import { type AnyRoute, route } from '../../route.ts'

/** The API description of the other routes, as OpenAPI and as an HTML page. Built at the first request: that takes 150 ms. */
export function referenceRoutes(routes: readonly AnyRoute[]): AnyRoute[] {
  const description = once(() => openApi(routes))
  const page = once(() => referencePage(description()))
  return [
    route({
      name: 'getOpenApi',
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      tag: 'State',
      summary: 'Get OpenAPI description',
      isHidden: true,
      reply: z.record(z.string(), z.unknown()),
      handle: description,
    }),
    route({
      name: 'getReferencePage',
      method: 'GET',
      path: '/docs',
      access: 'public',
      tag: 'State',
      summary: 'Get API reference',
      isHidden: true,
      reply: z.string(),
      mediaType: 'text/html; charset=utf-8',
      handle: page,
    }),
    route({
      method: 'GET',
      path: STYLE_PATH,
      access: 'public',
      tag: 'State',
      summary: 'Get style sheet of the API reference',
      isHidden: true,
      reply: z.string(),
      mediaType: 'text/css; charset=utf-8',
      handle: () => referenceStyleSheet,
    }),
    route({
      method: 'GET',
      path: SCRIPT_PATH,
      access: 'public',
      tag: 'State',
      summary: 'Get script of the API reference',
      isHidden: true,
      reply: z.string(),
      mediaType: 'text/javascript; charset=utf-8',
      handle: () => referenceScript,
    }),
  ]
}

function once<T>(build: () => T): () => T {
  let built: { value: T } | undefined
  return () => {
    built ??= { value: build() }
    return built.value
  }
}

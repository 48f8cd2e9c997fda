import assert from 'node:assert/strict'
import test from 'node:test'
import { z } from 'zod'
import { nullish, wireArray, wireObject, wireString, wireUnion } from '../../wire/schemas.ts'
import { routes } from '../routes.ts'
import { compatibilitySchemas } from './compatibility-fields.ts'
import { findUnknownFields } from './unknown-fields.ts'

const Text = z.object({ text: wireString({ max: 1_000 }), link: nullish(wireString({ max: 1_000 })) })
const Image = z.object({ image_id: wireString({ max: 1_000 }), link: nullish(wireString({ max: 1_000 })) })
const Body = z
  .object({
    title: nullish(wireString({ max: 1_000 })),
    parts: nullish(wireArray(wireUnion({ Text, Image }))),
    free: nullish(wireObject()),
    named: nullish(wireObject(z.object({ days: wireString({ max: 1_000 }) }))),
    open: z.looseObject({ count: nullish(wireString({ max: 1_000 })) }).optional(),
    closed: z
      .strictObject({ alpha: nullish(wireString({ max: 1_000 })), beta: nullish(wireString({ max: 1_000 })) })
      .optional(),
  })
  .transform((it) => it)

const found = (input: unknown) =>
  findUnknownFields(Body, input, { root: ['body'] }).fields.map(({ loc, suggestions }) => [
    loc.join('.'),
    ...suggestions,
  ])

for (const [input, fields] of [
  [{ titel: 1 }, [['body.titel', 'title']]],
  [{ titel: 1, title: 'x' }, [['body.titel']]],
  [{ free: { titel: 1 } }, []],
  [{ named: { a: { days: 'x', day: 1 }, b: { day: 1 } } }, [['body.named.a.day'], ['body.named.b.day', 'days']]],
  [{ open: { counts: 1 } }, []],
  [{ closed: { gamma: 1 } }, [['body.closed.gamma']]],
  [{ parts: [{ image_id: 'x', text: 'y' }] }, [['body.parts.0.image_id']]],
  [{ parts: [{ image_id: 'x', links: 'y' }] }, [['body.parts.0.links', 'link']]],
  [
    {
      parts: [
        { text: 'x', size: 1 },
        { text: 'x', size: 2 },
      ],
    },
    [['body.parts.0.size']],
  ],
  [{ parts: 'x', named: [], closed: null, free: 3 }, []],
  [[], []],
  [null, []],
  [JSON.parse('{"__proto__": 1, "constructor": 2}'), [['body.__proto__'], ['body.constructor']]],
] as const) {
  test(`unknown fields of ${JSON.stringify(input)} are ${JSON.stringify(fields)}`, () => {
    assert.deepEqual(found(input), fields)
  })
}

test('a similar field after many ignored ones is found', () => {
  const parts = [...Array.from({ length: 5_000 }, () => ({ text: 'x', link: null, links: 1 })), { text: 'x', links: 1 }]
  assert.deepEqual(found({ parts }), [['body.parts.0.links'], ['body.parts.5000.links', 'link']])
})

test('only a limited number of names is compared', () => {
  const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`zz${at}`, 1]))
  const few = findUnknownFields(Body, names(500), { root: ['body'] })
  assert.deepEqual([few.fields.length, few.hasMore], [500, false])
  const many = findUnknownFields(Body, names(200_000), { root: ['body'] })
  assert.deepEqual([many.fields.length, many.hasMore], [500, true])
})

test('every compatibility field belongs to an existing schema', () => {
  const ids = new Set(routes.flatMap((it) => [...idsIn(it.body ?? ('line' in it ? it.line : undefined))]))
  const missing = compatibilitySchemas().filter((it) => !ids.has(it))
  assert.deepEqual(missing, [])
})

function idsIn(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return []
  const { $defs = {}, id } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    $defs?: Record<string, unknown>
    id?: string
  }
  return [...Object.keys($defs), ...(id === undefined ? [] : [id])]
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedRules } from './robots.ts'

test('ordinary rules are unchanged', () => {
  const rules = 'User-agent: *\nDisallow: /*.pdf$\nAllow: /a\nSitemap: https://x.test/map.xml'
  assert.equal(boundedRules(rules), rules)
})

test('too many patterns are widened if they forbid and dropped if they allow', () => {
  const rules = `Disallow: /x*${'a'.repeat(1_900)}\nAllow: /y*${'a'.repeat(1_900)}\n`.repeat(200)
  const lines = boundedRules(rules).split('\n')
  assert.ok(lines.filter((it) => it.includes('*')).reduce((sum, it) => sum + it.length, 0) <= 20_000)
  assert.ok(lines.includes('Disallow: /x'))
  assert.ok(!lines.includes('Allow: /y'))
})

test('an overlong line is cut', () => {
  assert.equal(boundedRules(`Disallow: /${'a'.repeat(100_000)}`).length, 2_000)
})

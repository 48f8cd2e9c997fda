// Checks with recheck which new regular expressions take linear time, and stores the safe ones: npm run expressions
import { readFileSync, writeFileSync } from 'node:fs'
import { type Expression, expressionsIn, nameOf, sourceFiles } from './expressions.ts'

const CACHE = 'test/expressions.json'
const TIMEOUT_MS = 60_000

export interface Judged extends Expression {
  /** "vulnerable" or "unknown"; both fail. */
  status: string
  attack: string
}

const versionOf = (): string => JSON.parse(readFileSync('package.json', 'utf8')).devDependencies.recheck

export const allExpressions = (): Expression[] =>
  sourceFiles().flatMap((file) => expressionsIn(file, readFileSync(file, 'utf8')).expressions)

/** Returns the expressions that are not known to be safe, and the names of the safe ones. */
export async function judge(expressions: readonly Expression[]): Promise<{ bad: Judged[]; safe: string[] }> {
  const version = versionOf()
  const known = new Set<string>(JSON.parse(readFileSync(CACHE, 'utf8')))
  const byName = new Map(expressions.map((it) => [nameOf(it, version), it]))
  const bad: Judged[] = []
  for (const [name, expression] of byName) {
    if (known.has(name)) continue
    const { check } = await import('recheck')
    const found = await check(expression.source, expression.flags, { timeout: TIMEOUT_MS })
    if (found.status === 'safe') known.add(name)
    else
      bad.push({
        ...expression,
        status: found.status,
        attack: found.status === 'vulnerable' ? found.attack.pattern : '',
      })
  }
  return { bad, safe: [...byName.keys()].filter((it) => known.has(it)).sort() }
}

if (import.meta.main) {
  const { bad, safe } = await judge(allExpressions())
  writeFileSync(CACHE, `${JSON.stringify(safe, null, 2)}\n`)
  for (const it of bad) process.stdout.write(`${it.place} ${it.status}: /${it.source}/${it.flags} ${it.attack}\n`)
  process.stdout.write(`${safe.length} expressions are safe, ${bad.length} are not.\n`)
  process.exit(bad.length === 0 ? 0 : 1)
}

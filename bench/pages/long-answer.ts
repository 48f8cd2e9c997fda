// The longest task of the page's thread while a long answer with tables and code streams.
import {
  DONE,
  delta,
  finish,
  inPieces,
  type ModelRequest,
  type ModelScript,
  type ScriptStep,
  says,
  text,
  usage,
} from '../../test/model/model-server.ts'
import type { BenchBrowser } from './bench-browser.ts'

const QUESTION = 'Write the long report.'
/** About 1,200 characters each. */
const SECTIONS = 40
/** A fast model: 400 tokens of 5 characters in a second. */
const PIECE = 10
const PIECE_MS = 5

const WATCH = `
  window.tasks = []
  new PerformanceObserver((list) => { for (const it of list.getEntries()) window.tasks.push(it.duration) })
    .observe({ type: 'longtask' })
`

/** The answer to the question. A chat also asks the model for its name. */
export function longAnswer({ body: { messages } }: ModelRequest): ModelScript {
  if (!messages.some((it) => it.role === 'user' && String(it.content).includes(QUESTION))) return says('A report')
  const pieces = inPieces(Array.from({ length: SECTIONS }, (_, at) => section(at + 1)).join('\n'), PIECE)
  const steps = pieces.flatMap((it): ScriptStep[] => [{ waitMs: PIECE_MS }, text(it)])
  return {
    steps: [delta({ role: 'assistant', content: '' }), ...steps, finish(), usage(2_000, pieces.length * 2), DONE],
  }
}

const section = (number: number): string => `## Section ${number}

The **report** of section ${number} compares the *offices* and names what each of them \`spends\` in a quarter.

| Office | Spent | Change | Note |
|---|---:|---:|---|
${Array.from({ length: 8 }, (_, row) => `| Office ${row + 1} | ${number * (row + 3)} | ${row} % | within its budget |`).join('\n')}

1. The first office spends less than in the quarter before.
2. The second one spends more, because it moved.

\`\`\`ts
${Array.from({ length: 10 }, (_, line) => `export const spent${line} = offices[${line}].months.reduce(add, ${number})`).join('\n')}
\`\`\`
`

/** The longest task of each round, in milliseconds; 0 if no task took 50 ms, because the browser names no shorter ones. */
export async function longTasks(browser: BenchBrowser, rounds: number): Promise<number[]> {
  const longest: number[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await browser.open(WATCH)
    await page.goto(`${browser.url}/chat`)
    await page.getByRole('textbox', { name: 'Ask a question' }).fill(QUESTION)
    await page.evaluate('tasks.length = 0')
    await page.keyboard.press('Enter')
    await page.locator('article[aria-busy=true]').waitFor()
    await page.locator('article[aria-busy=false]').waitFor()
    await page.getByRole('heading', { name: `Section ${SECTIONS}`, exact: true }).waitFor()
    longest.push(await page.evaluate<number>('Math.max(0, ...tasks)'))
    await page.context().close()
  }
  return longest
}

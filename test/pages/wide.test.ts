// Every page in a window of 2560 px: nothing is wider than the window, and the lines of texts stay readable.
import assert from 'node:assert/strict'
import { assertFits, openFilled, openState, viewOf } from './look.ts'
import { STATES } from './states.ts'

const VIEW = { name: 'wide', scheme: 'light', width: 2_560, language: 'en' } as const
/** The eye finds the next line up to about 100 characters; the limit leaves room for narrow letters. */
const MAX_LINE = 115

/** The longest lines of running text. Tables, code and fields are no running text. */
const LONG_LINES = `(() => {
  const lines = new Map()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement: parent, data } = node
    if (parent.closest('table, pre, code, textarea, select, svg, .sr-only, script, noscript') !== null) continue
    if (!parent.checkVisibility()) continue
    let block = parent
    while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement
    if (block.textContent.length <= ${MAX_LINE}) continue
    if (!lines.has(block)) lines.set(block, new Map())
    const ofBlock = lines.get(block)
    for (let at = 0; at < data.length; at += 1) {
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      const rect = range.getClientRects()[0]
      if (rect === undefined) continue
      const top = Math.round(rect.bottom / 8)
      ofBlock.set(top, (ofBlock.get(top) ?? 0) + 1)
    }
  }
  return [...lines]
    .map(([block, ofBlock]) => [Math.max(0, ...ofBlock.values()), block.className, block.textContent.slice(0, 150)])
    .filter(([length]) => length > ${MAX_LINE})
})()`

const { inFilled, ids } = await openFilled()
for (const state of STATES.filter((it) => it.before === undefined))
  inFilled(`${state.name}, wide`, viewOf(VIEW, state), async ({ page, url }) => {
    const address = url + state.path(ids())
    await openState(page, address, state, VIEW)
    await assertFits(page, address)
    assert.deepEqual(await page.evaluate(LONG_LINES), [], 'lines too long to read')
  })

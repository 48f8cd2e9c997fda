// A match in a table on the search page: the names of the columns and the rows that match.
import assert from 'node:assert/strict'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { settled } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

const COLUMNS = ['Name', 'Number', 'Material', 'Store', 'Price', 'Stock', 'Year', 'Contact']
/** The first column, those with matches, and the others. */
const SHOWN = [0, 1, 4, 2, 3, 5, 6, 7]
const row = (at: number) =>
  `${['Harbour', 'Deck', 'Mast'][at % 3]} lamp ${at} | HL-${at} | Brass, polished by hand | Hamburg store | ${at}.50 EUR | 7 | 2026 | Ann Ngo, spare parts`
const SHOTS = process.env.SHOTS

const inBrowser = await openBrowser(async (server) => {
  const { push } = createSetup(createRequester(server))
  const text = [`| ${COLUMNS.join(' | ')} |`, ...Array.from({ length: 200 }, (_, at) => row(at))].join('\n')
  await push({
    ...{ id: 'prices', semantic_identifier: 'Price list', title: 'Price list', source: 'file', metadata: {} },
    sections: [{ text, link: 'https://files.example.com/prices' }],
  })
  await settled(server)
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, 390]) {
    inBrowser(
      `a row that matches is shown with its header, ${scheme}, ${width} px`,
      { scheme, width },
      async ({ page, url }) => {
        await page.goto(`${url}/?q=price+harbour+lamp+150`)
        const shown = page.getByRole('group', { name: 'Table in Price list' }).getByRole('table')
        await shown.waitFor()
        assert.deepEqual(
          await shown.getByRole('columnheader').allTextContents(),
          SHOWN.map((it) => COLUMNS[it]),
        )
        assert.deepEqual(await shown.locator('tbody tr').allTextContents(), [
          SHOWN.map((it) => row(150).split(' | ')[it]).join(''),
        ])
        assert.deepEqual(await shown.locator('mark').allTextContents(), [
          'Price',
          'Harbour',
          'lamp',
          '150',
          '150',
          '150',
        ])
        assert.equal(await shown.locator('th[scope=col]').count(), COLUMNS.length)
        await assertFits(page)
        await assertAccessible(page)
        if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/table-${scheme}-${width}.png` })
      },
    )
  }
}

// Texts beside the main text of Office files: charts, diagrams, comments, headers and footers, embedded files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Extraction } from '../../src/extract/extract.ts'
import { documentXml, docx, flatOdp, odf, p, pptx, relationships, SHEET, shape, slide, xlsx } from './office-files.ts'
import { extract } from './open-extractor.ts'
import { zip } from './zip-writer.ts'

const points = (...values: [at: number, value: string | number][]) =>
  values.map(([at, value]) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')
const text = (value: string) => `<a:p><a:r><a:t>${value}</a:t></a:r></a:p>`
const series = (name: string, categories: string, values: string) =>
  `<c:ser><c:idx val="0"/><c:tx><c:strRef><c:f>S!$B$1</c:f><c:strCache>${points([0, name])}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>S!A</c:f><c:strCache>${categories}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0%</c:formatCode>${values}</c:numCache></c:numRef></c:val></c:ser>`
const CHART = `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${text('Share')}</c:rich></c:tx></c:title><c:plotArea><c:barChart>${series(
  'North',
  points([0, 'Spring'], [1, 'Autumn']),
  points([0, 0.25], [1, 0.5]),
)}${series('South', points([0, 'Spring'], [1, 'Autumn']), points([1, 0.75]))}</c:barChart><c:valAx><c:title>${text(
  'Percent of all',
)}</c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`
const CHART_LINES = 'Percent of all\nNorth | South\nSpring | 25%\nAutumn | 50% | 75%'
const DIAGRAM = `<dgm:dataModel><dgm:pt><dgm:t>${text('President')}</dgm:t></dgm:pt><dgm:pt><dgm:t>${text('Clerk')}</dgm:t></dgm:pt></dgm:dataModel>`

const texts = ({ sections }: Extraction) => sections.map(({ heading, anchor, text: it }) => [heading, anchor, it])

test('a slide has the texts of its chart, its diagram and its comments, the deck its footer and its files', async () => {
  const found = await extract(
    pptx({
      'ppt/slides/slide1.xml': slide(shape('title', 'Last'), shape('ftr', 'Internal use'), shape('sldNum', '2')),
      'ppt/slides/_rels/slide1.xml.rels': relationships(
        ['rId1', 'chart', '../charts/chart1.xml'],
        ['rId2', 'diagramData', '../diagrams/data1.xml'],
        ['rId3', 'comments', '../comments/comment1.xml'],
        ['rId4', 'package', '../embeddings/Costs.xlsx'],
        ['rId5', 'chart', '../charts/missing.xml'],
      ),
      'ppt/charts/chart1.xml': CHART,
      'ppt/charts/_rels/chart1.xml.rels': relationships(['rId1', 'package', '../embeddings/Data.xlsx']),
      'ppt/diagrams/data1.xml': DIAGRAM,
      'ppt/comments/comment1.xml':
        '<p:cmLst><p:cm authorId="1"><p:text>Is this &amp; that right?</p:text></p:cm></p:cmLst>',
      'ppt/embeddings/Costs.xlsx': xlsx(),
      'ppt/embeddings/Data.xlsx': xlsx(),
    }),
    'a.pptx',
  )
  assert.deepEqual(texts(found).slice(1), [
    [
      'Last',
      'slide=2',
      `Chart: Share\n${CHART_LINES}\n\nDiagram:\nPresident\nClerk\n\nComments:\nIs this & that right?`,
    ],
    ['Headers and footers', null, 'Internal use'],
  ])
  assert.deepEqual(
    found.parts.map((it) => [it.name, it.report.kind, it.sections[0]?.heading]),
    [['Costs.xlsx', 'xlsx', 'Costs 2026']],
  )
})

test('a scatter chart is a table of its coordinates, and dates are dates', async () => {
  const dates = `<c:xVal><c:numRef><c:numCache><c:formatCode>yyyy\\-mm\\-dd</c:formatCode>${points([7, 46082])}</c:numCache></c:numRef></c:xVal>`
  const chart = `<c:chartSpace><c:ser><c:tx><c:v>Tide</c:v></c:tx>${dates}<c:yVal><c:numLit>${points([7, 3.5])}</c:numLit></c:yVal></c:ser></c:chartSpace>`
  const found = await extract(
    docx(documentXml(p('Body')), {
      'word/_rels/document.xml.rels': relationships(['rId1', 'chart', 'charts/chart1.xml']),
      'word/charts/chart1.xml': chart,
    }),
    'a.docx',
  )
  assert.deepEqual(texts(found).at(-1), ['Chart', null, 'Tide\n2026-03-01 | 3.5'])
})

const field = (code: string, result: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>${result}</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
const header = (body: string) => `<w:hdr>${body}</w:hdr>`

test('headers and footers of a document come once, without page numbers and dates', async () => {
  const found = await extract(
    docx(documentXml(p('Body')), {
      'word/_rels/document.xml.rels': relationships(
        ['rId1', 'header', 'header1.xml'],
        ['rId2', 'header', 'header2.xml'],
        ['rId3', 'footer', 'footer1.xml'],
        ['rId4', 'diagramData', 'diagrams/data1.xml'],
      ),
      'word/header1.xml': header(p('Harbour office')),
      'word/header2.xml': header(p('Harbour office') + p('Only on even pages')),
      'word/footer1.xml': header(
        `<w:p><w:r><w:t>Page </w:t></w:r>${field('PAGE', '3')}<w:r><w:t> of </w:t></w:r><w:fldSimple w:instr="NUMPAGES"><w:r><w:t>9</w:t></w:r></w:fldSimple></w:p><w:p><w:r><w:t>Approved by Ada, printed </w:t></w:r>${field('DATE', '1.1.1999')}</w:p><w:p>${field('STYLEREF x', 'Chapter of pumps')}</w:p>`,
      ),
      'word/diagrams/data1.xml': DIAGRAM,
    }),
    'a.docx',
  )
  assert.deepEqual(texts(found).slice(1), [
    ['Footnotes', null, 'A note below.'],
    ['Diagrams', null, 'President\nClerk'],
    ['Headers and footers', null, 'Harbour office\nOnly on even pages\nApproved by Ada, printed\nChapter of pumps'],
  ])
})

test('a sheet has its comments, text boxes and charts, and the workbook its headers', async () => {
  const sheet = SHEET.replace(
    '</worksheet>',
    '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Draft &amp;&amp; plan&amp;C&amp;KFF0000Pier 4&amp;RPage &amp;P of &amp;N</oddHeader></headerFooter></worksheet>',
  )
  const found = await extract(
    xlsx(sheet, undefined, {
      'xl/worksheets/_rels/sheet1.xml.rels': relationships(
        ['rId1', 'comments', '../comments1.xml'],
        ['rId2', 'threadedComment', '../threadedComments/threadedComment1.xml'],
        ['rId3', 'drawing', '../drawings/drawing1.xml'],
      ),
      'xl/comments1.xml':
        '<comments><authors><author>Ada</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Too </t></r><r><t>much</t></r></text></comment><comment ref="C2"><text><t>[Threaded comment] Your version … Comment: When?</t></text></comment></commentList></comments>',
      'xl/threadedComments/threadedComment1.xml':
        '<ThreadedComments><threadedComment ref="C2"><text>When?</text></threadedComment></ThreadedComments>',
      'xl/drawings/drawing1.xml': `<xdr:wsDr><xdr:sp><xdr:txBody>${text('Read me first')}</xdr:txBody></xdr:sp></xdr:wsDr>`,
      'xl/drawings/_rels/drawing1.xml.rels': relationships(['rId1', 'chart', '../charts/chart1.xml']),
      'xl/charts/chart1.xml': CHART,
    }),
    'a.xlsx',
  )
  assert.deepEqual(
    [texts(found)[1], texts(found).at(-1)],
    [
      [
        'Costs 2026',
        'sheet=Costs%202026',
        `Read me first\n\nChart: Share\n${CHART_LINES}\n\nComments:\nC2: When?\nB2: Too much`,
      ],
      ['Headers and footers', null, 'Draft & plan\nPier 4'],
    ],
  )
})

const STYLES = `<office:document-styles><office:master-styles><style:master-page style:name="Default"><style:header><text:p><text:sheet-name>???</text:sheet-name></text:p><text:p>Ship yard</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number> / <text:page-count>99</text:page-count></text:p></style:footer><style:footer-left style:display="false"><text:p>Not shown</text:p></style:footer-left><draw:frame presentation:placeholder="true"><text:p>Click to edit</text:p></draw:frame></style:master-page></office:master-styles></office:document-styles>`
const OBJECT =
  '<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Ships by year</text:p></chart:title><table:table table:name="local-table"><table:table-row><table:table-cell><text:p>2025</text:p></table:table-cell><table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:chart></office:body></office:document-content>'

test('OpenDocument files have their charts and headers, and comments have no author within the text', async () => {
  const found = await extract(
    odf(
      'presentation',
      '<office:presentation><presentation:footer-decl>Spoken word counts</presentation:footer-decl><draw:page><draw:frame><draw:text-box><text:p>Hello<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-01-01</dc:date><text:p>Louder</text:p></office:annotation> you</text:p></draw:text-box></draw:frame><draw:frame><draw:object xlink:href="./Object 1"/><draw:object xlink:href="http://a.example/b"/></draw:frame></draw:page></office:presentation>',
      '',
      { 'styles.xml': STYLES, 'Object 1/content.xml': OBJECT },
    ),
    'a.odp',
  )
  assert.deepEqual(texts(found), [
    [null, 'slide=1', 'Louder\nHello you'],
    [null, 'slide=1', 'Ships by year\n2025 | 12'],
    ['Headers and footers', null, 'Ship yard\nSpoken word counts'],
  ])
})

test('OpenDocument as one XML file has the same texts', async () => {
  const found = await extract(flatOdp(STYLES, OBJECT), 'a.fodp')
  assert.deepEqual(
    [found.report.kind, found.title, found.report.pages, found.report.verdict],
    ['odp', 'Open plan', 1, 'ok'],
  )
  assert.deepEqual(texts(found), [
    [null, 'slide=1', 'Hello'],
    [null, 'slide=1', 'Ships by year\n2025 | 12'],
    ['Headers and footers', null, 'Ship yard\nSpoken word counts'],
  ])
})

test('a footer of a master page has its own text, and no text of a field', async () => {
  const frame = (kind: string, text: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
  const master = `${frame('footer', 'University of the sea')}${frame('footer', '<presentation:footer>&lt;footer&gt;</presentation:footer>')}${frame('title', 'Click to edit')}`
  const found = await extract(
    odf('presentation', '<office:presentation/>', '', {
      'styles.xml': `<office:document-styles><office:master-styles><style:master-page>${master}</style:master-page></office:master-styles></office:document-styles>`,
    }),
    'a.odp',
  )
  assert.deepEqual(texts(found), [['Headers and footers', null, 'University of the sea']])
})

test('a document whose macros alone are encrypted is read', async () => {
  const encrypted = (path: string) =>
    `<manifest:file-entry manifest:full-path="${path}"><manifest:encryption-data/></manifest:file-entry>`
  const body = '<office:text><text:p>Open to all</text:p></office:text>'
  const open = await extract(odf('text', body, encrypted('Basic/Standard/Module1.xml')), 'a.odt')
  assert.deepEqual([open.report.verdict, open.sections[0]?.text], ['ok', 'Open to all'])
  const locked = await extract(odf('text', body, encrypted('content.xml')), 'a.odt')
  assert.deepEqual([locked.report.verdict, locked.sections], ['password', []])
})

test('packages with other names of their members, or without a mimetype, are read', async () => {
  const workbook = zip({
    '[content_types].xml': '<Types/>',
    '_rels\\.rels': relationships(['rId1', 'officeDocument', 'xl/workbook.xml']),
    'xl\\workbook.xml': '<workbook><sheets><sheet name="Costs" r:id="rId1"/></sheets></workbook>',
    'xl\\_rels\\workbook.xml.rels': relationships(['rId1', 'worksheet', 'worksheets/Sheet1.xml']),
    'xl\\worksheets\\sheet1.xml': '<worksheet><sheetData><row><c t="str"><v>Lamp</v></c></row></sheetData></worksheet>',
  })
  const found = await extract(workbook, 'a.xlsx')
  assert.deepEqual([found.report.kind, texts(found)], ['xlsx', [['Costs', 'sheet=Costs', 'Lamp']]])
  const entry = '<file-entry media-type="application/vnd.oasis.opendocument.text" full-path="/"/>'
  const document = zip({
    'META-INF/manifest.xml': `<manifest>${entry}</manifest>`,
    'content.xml': '<document-content><body><text><p>Hello</p></text></body></document-content>',
  })
  const read = await extract(document, 'a.odt')
  assert.deepEqual([read.report.kind, texts(read)], ['odt', [[null, null, 'Hello']]])
})

test('an embedded file deeper than the limit is skipped with a warning', async () => {
  const found = await extract(
    pptx({
      'ppt/slides/_rels/slide1.xml.rels': relationships(['rId4', 'package', '../embeddings/Costs.xlsx']),
      'ppt/embeddings/Costs.xlsx': xlsx(),
    }),
    'a.pptx',
    { limits: { depth: 0 } },
  )
  assert.deepEqual(
    [found.parts, found.report.warnings],
    [
      [],
      [
        { code: 'member_skipped', detail: '"Costs.xlsx": it exceeds the nesting limit' },
        { code: 'limit_hit', detail: 'depth' },
      ],
    ],
  )
})

test('points of a chart count as cells', async () => {
  const many = points(...Array.from({ length: 50 }, (_, at): [number, number] => [at * 1_000_000, at]))
  const found = await extract(
    pptx({
      'ppt/slides/_rels/slide1.xml.rels': relationships(['rId1', 'chart', '../charts/chart1.xml']),
      'ppt/charts/chart1.xml': `<c:chartSpace>${series('One', '', many)}</c:chartSpace>`,
    }),
    'a.pptx',
    { limits: { cells: 40 } },
  )
  assert.deepEqual([found.report.verdict, found.report.warnings[0]], ['limit', { code: 'limit_hit', detail: 'cells' }])
})

test('a file without text has the warning no_text', async () => {
  const warningsOf = async (bytes: string | Buffer, name: string) => {
    const { report } = await extract(bytes, name)
    return [report.verdict, ...report.warnings.map((it) => it.code)]
  }
  assert.deepEqual(await warningsOf('', 'a.txt'), ['ok', 'no_text'])
  assert.deepEqual(await warningsOf(' \n', 'a.txt'), ['ok', 'no_text'])
  assert.deepEqual(
    await warningsOf(
      odf('spreadsheet', '<office:spreadsheet/>', '', { 'styles.xml': STYLES.replace('Ship yard', '') }),
      'a.ods',
    ),
    ['ok', 'no_text'],
  )
  assert.deepEqual(await warningsOf('x', 'a.txt'), ['ok'])
})

/** The verdict of a file that takes time in the product of two of its numbers would be a limit. */
const LIMITS = { timeMs: 30_000, ratio: 1_000 }

test('a chart of very many series is read in time linear in its size', async () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `<c:ser><c:val>${points([at, at])}</c:val></c:ser>`)
  const found = await extract(
    pptx({
      'ppt/slides/_rels/slide1.xml.rels': relationships(['rId1', 'chart', '../charts/chart1.xml']),
      'ppt/charts/chart1.xml': `<c:chartSpace>${many.join('')}</c:chartSpace>`,
    }),
    'a.pptx',
    { limits: LIMITS },
  )
  assert.equal(found.report.verdict, 'ok')
  assert.ok(found.sections.some((it) => it.text.includes('\n99999')))
})

test('a header of very many open fields is read in time linear in its size', async () => {
  const field = '<w:r><w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="separate"/><w:t>a</w:t></w:r>'
  const found = await extract(
    docx(documentXml(p('Body')), {
      'word/_rels/document.xml.rels': relationships(['rId1', 'header', 'header1.xml']),
      'word/header1.xml': `<w:hdr><w:p>${field.repeat(200_000)}</w:p></w:hdr>`,
    }),
    'a.docx',
    { limits: LIMITS },
  )
  assert.equal(found.report.verdict, 'ok')
  assert.match(found.sections.at(-1)?.text ?? '', /^a{2000}$/)
})

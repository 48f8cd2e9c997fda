// Builds small Office documents member by member.
import { zip } from './zip-writer.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export const relationships = (...list: [id: string, type: string, target: string][]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${list
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

const CORE = `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Plan &amp; Budget</dc:title><dc:creator>Ada Lovelace</dc:creator><dcterms:created>2026-03-01T09:00:00Z</dcterms:created><dcterms:modified>2026-03-02T10:00:00Z</dcterms:modified></cp:coreProperties>`
const TYPES = `${XML}<Types xmlns="${PACKAGE}/content-types"/>`

const W =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
export const p = (text: string, properties = '') =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
const td = (text: string) => `<w:tc>${p(text)}</w:tc>`

export const documentXml = (body: string): string => `${XML}<w:document ${W}><w:body>${body}</w:body></w:document>`

export const docx = (body?: string, more: Readonly<Record<string, string | Buffer>> = {}): Buffer =>
  zip({
    '[Content_Types].xml': TYPES,
    'docProps/core.xml': CORE,
    'word/styles.xml': `${XML}<w:styles ${W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style></w:styles>`,
    'word/document.xml':
      body ??
      documentXml(
        [
          p('Before any heading'),
          p('First steps', '<w:pStyle w:val="berschrift1"/>'),
          '<w:p><w:r><w:t>One </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r><w:r><w:delText>gone</w:delText></w:r><w:r><w:t xml:space="preserve"> word</w:t><w:tab/><w:t>tabbed</w:t></w:r></w:p>',
          p('first point', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
          `<w:tbl><w:tr>${td('Name')}${td('Cost')}</w:tr><w:tr>${td('Chair')}${td('12')}</w:tr></w:tbl>`,
          p('Second', '<w:pStyle w:val="Mine"/>'),
          '<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>shape</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>shape</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>',
        ].join(''),
      ),
    'word/footnotes.xml': `${XML}<w:footnotes ${W}><w:footnote>${p('A note below.')}</w:footnote></w:footnotes>`,
    ...more,
  })

const A =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
export const shape = (type: string, ...texts: string[]) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${texts
    .map((it) => `<a:p><a:r><a:t>${it}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`
export const slide = (...shapes: string[]) =>
  `${XML}<p:sld ${A}><p:cSld><p:spTree>${shapes.join('')}</p:spTree></p:cSld></p:sld>`

const SLIDE_TABLE =
  '<a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>y</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>'

export const pptx = (more: Readonly<Record<string, string | Buffer>> = {}, table = SLIDE_TABLE): Buffer =>
  zip({
    '[Content_Types].xml': TYPES,
    'docProps/core.xml': CORE,
    'ppt/presentation.xml': `${XML}<p:presentation ${A}><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships(
      ['rId1', 'slide', 'slides/slide1.xml'],
      ['rId2', 'slide', 'slides/slide2.xml'],
    ),
    'ppt/slides/slide1.xml': slide(shape('title', 'Last'), shape('body', 'The end'), shape('sldNum', '2')),
    'ppt/slides/slide2.xml': slide(
      shape('ctrTitle', 'Welcome'),
      shape('body', 'Point one', 'Point two'),
      `<p:graphicFrame>${table}</p:graphicFrame>`,
    ),
    'ppt/slides/_rels/slide2.xml.rels': relationships(['rId1', 'notesSlide', '../notesSlides/notesSlide1.xml']),
    'ppt/notesSlides/notesSlide1.xml': slide(shape('body', 'Say hello'), shape('sldNum', '1')),
    ...more,
  })

const S =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'

export const SHEET = `${XML}<worksheet ${S}><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>When</t></is></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><f>HYPERLINK("http://x","y")+SUM(B3:B9)</f><v>0.30000000000000004</v></c><c r="C2" s="1"><v>46082</v></c><c r="D2" t="b"><v>1</v></c><c r="E2" s="2"><v>0.25</v></c><c r="F2" t="e"><v>#DIV/0!</v></c></row></sheetData></worksheet>`

export const xlsx = (sheet = SHEET, strings?: string, more: Readonly<Record<string, string | Buffer>> = {}): Buffer =>
  zip({
    '[Content_Types].xml': TYPES,
    'docProps/core.xml': CORE,
    'xl/workbook.xml': `${XML}<workbook ${S}><sheets><sheet name="Costs 2026" sheetId="1" r:id="rId1"/><sheet name="Empty" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ['rId2', 'worksheet', '/xl/worksheets/sheet2.xml'],
    ),
    'xl/sharedStrings.xml':
      strings ??
      `${XML}<sst ${S}><si><t>Item</t></si><si><r><t>Co</t></r><r><t>st</t></r></si><si><t>椅子</t><rPh sb="0" eb="2"><t>イス</t></rPh></si></sst>`,
    'xl/styles.xml': `${XML}<styleSheet ${S}><numFmts count="1"><numFmt numFmtId="164" formatCode="[$-409]d\\-mmm\\-yy;@"/></numFmts><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': sheet,
    'xl/worksheets/sheet2.xml': `${XML}<worksheet ${S}><sheetData/></worksheet>`,
    ...more,
  })

const O =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
const META = `${XML}<office:document-meta ${O} xmlns:meta="m" xmlns:dc="d"><office:meta><dc:title>Open plan</dc:title><meta:initial-creator>Ada</meta:initial-creator><meta:creation-date>2026-03-01T09:00:00</meta:creation-date></office:meta></office:document-meta>`

export const odf = (
  type: string,
  body: string,
  manifest = '',
  more: Readonly<Record<string, string | Buffer>> = {},
): Buffer =>
  zip([
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${type}`, stored: true },
    { name: 'META-INF/manifest.xml', data: `<manifest:manifest>${manifest}</manifest:manifest>` },
    { name: 'meta.xml', data: META },
    {
      name: 'content.xml',
      data: `${XML}<office:document-content ${O}><office:body>${body}</office:body></office:document-content>`,
    },
    ...Object.entries(more).map(([name, data]) => ({ name, data })),
  ])

/** A presentation as one XML file, with the styles and the object of the caller. */
export const flatOdp = (styles: string, object: string): string => {
  const inside = (xml: string) => xml.replace(/<\/?office:document-(?:styles|content|meta)[^>]*>/g, '')
  return `${XML}<office:document ${O} office:mimetype="application/vnd.oasis.opendocument.presentation">${inside(META).replace(XML, '')}${inside(styles)}<office:body><office:presentation><presentation:footer-decl>Spoken word counts</presentation:footer-decl><draw:page><draw:frame><draw:text-box><text:p>Hello<draw:frame><draw:image><office:binary-data>aGVsbG8gd29ybGQ=</office:binary-data></draw:image></draw:frame></text:p></draw:text-box></draw:frame><draw:frame><draw:object><office:document>${inside(object)}</office:document></draw:object></draw:frame></draw:page></office:presentation></office:body></office:document>`
}

export const odt = (): Buffer =>
  odf(
    'text',
    '<office:text><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level="1">Chapter one</text:h><text:p>Some<text:s text:c="2"/>spaced <text:span>text</text:span></text:p><text:list><text:list-item><text:p>a point</text:p></text:list-item></text:list><table:table table:name="T"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></office:text>',
  )
export const lockedOdt = (): Buffer =>
  odf(
    'text',
    '',
    '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>',
  )
const ODS_TABLE =
  '<table:table table:name="Costs"><table:table-row><table:table-cell office:value="12" table:formula="of:=SUM()"><text:p>12 €</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/><table:table-cell><text:p>end</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row></table:table>'
export const ods = (table = ODS_TABLE): Buffer =>
  odf('spreadsheet', `<office:spreadsheet>${table}</office:spreadsheet>`)
export const odp = (): Buffer =>
  odf(
    'presentation',
    '<office:presentation><draw:page draw:name="page1"><draw:frame presentation:class="title"><draw:text-box><text:p>Hello</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>World</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Smile</text:p></draw:text-box></draw:frame></presentation:notes></draw:page></office:presentation>',
  )

export const epub = (): Buffer =>
  zip([
    { name: 'mimetype', data: 'application/epub+zip', stored: true },
    {
      name: 'META-INF/container.xml',
      data: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    },
    {
      name: 'OEBPS/book.opf',
      data: '<package xmlns:dc="d"><metadata><dc:title>A Book</dc:title><dc:creator>Jane</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="text/one%201.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    },
    { name: 'OEBPS/two.xhtml', data: '<html><body><p>The end.</p></body></html>' },
    {
      name: 'OEBPS/text/one 1.xhtml',
      data: '<html><body><h1 id="c1">Chapter 1</h1><p>It was a dark night.</p></body></html>',
    },
  ])

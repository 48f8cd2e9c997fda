// A ZIP is an office document, a book or an archive.
import { readArchive } from './archive.ts'
import { readDocx } from './docx.ts'
import { readEpub } from './epub.ts'
import { readOdf } from './odf.ts'
import { readPptx } from './pptx.ts'
import { Ended, type Reading } from './reading.ts'
import { readXlsx } from './xlsx.ts'
import { openZip, textOfMember, type ZipFile } from './zip-file.ts'

type ZipReader = (reading: Reading, zip: ZipFile) => Promise<void>

const OFFICE: readonly [member: string, kind: string, reader: ZipReader][] = [
  ['word/document.xml', 'docx', readDocx],
  ['ppt/presentation.xml', 'pptx', readPptx],
  ['xl/workbook.xml', 'xlsx', readXlsx],
]
const ODF = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/
const ODF_KINDS: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }

export async function readZip(reading: Reading): Promise<void> {
  const zip = await openZip(reading.bytes, reading.budget)
  const { kind, reader } = await formatOf(zip)
  reading.facts({ kind })
  await reader(reading, zip)
}

async function formatOf(zip: ZipFile): Promise<{ kind: string; reader: ZipReader }> {
  if (zip.find('[Content_Types].xml') !== undefined) {
    for (const [member, kind, reader] of OFFICE) if (zip.find(member) !== undefined) return { kind, reader }
    if (zip.find('xl/workbook.bin') !== undefined)
      throw new Ended('unsupported', 'A binary workbook (XLSB) is not read; save it as XLSX.')
  }
  const mimetype = zip.find('mimetype')
  const type = mimetype === undefined ? '' : (await textOfMember(mimetype)).trim()
  const odf = ODF_KINDS[ODF.exec(type)?.[1] ?? '']
  if (odf !== undefined) return { kind: odf, reader: readOdf }
  return type.startsWith('application/epub+zip')
    ? { kind: 'epub', reader: readEpub }
    : { kind: 'zip', reader: readArchive }
}

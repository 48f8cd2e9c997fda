// A ZIP is an office document, a book or an archive.
import { readArchive } from './archive.ts'
import { readDocx } from './docx.ts'
import { readEpub } from './epub.ts'
import { readOdf } from './odf.ts'
import { mainMember } from './office-package.ts'
import { readPptx } from './pptx.ts'
import { Ended, type Reading } from './reading.ts'
import { readXlsx } from './xlsx.ts'
import { openZip, textOfMember, type ZipFile } from './zip-file.ts'

/** `main` is the member that holds the document itself. */
type ZipReader = (reading: Reading, zip: ZipFile, main: string) => Promise<void>

const OFFICE: readonly [member: RegExp, kind: string, reader: ZipReader][] = [
  [/^word\/.*\.xml$/, 'docx', readDocx],
  [/^ppt\/.*\.xml$/, 'pptx', readPptx],
  [/^xl\/.*\.xml$/, 'xlsx', readXlsx],
]
const ODF = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/
const ODF_KINDS: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }

export async function readZip(reading: Reading): Promise<void> {
  const zip = await openZip(reading.bytes, reading.budget)
  const { kind, reader, main = '' } = await formatOf(zip)
  reading.facts({ kind })
  await reader(reading, zip, main)
}

async function formatOf(zip: ZipFile): Promise<{ kind: string; reader: ZipReader; main?: string }> {
  if (zip.find('[Content_Types].xml') !== undefined) {
    const main = await mainMember(zip)
    for (const [member, kind, reader] of OFFICE)
      if (main !== undefined && member.test(main)) return { kind, reader, main }
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

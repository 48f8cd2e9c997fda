// A ZIP file is an Office document, an e-book or an archive.

import { readXlsb } from '../office/binary/xlsb/xlsb.ts'
import { readDocx } from '../office/docx.ts'
import { readEpub } from '../office/epub.ts'
import { readOdf } from '../office/odf.ts'
import { findMainMember } from '../office/office-package.ts'
import { readPptx } from '../office/pptx.ts'
import { readXlsx } from '../office/xlsx.ts'
import type { ReaderContext } from '../reader.ts'
import { attributeNamed } from '../xml/xml-parser.ts'
import { readArchive } from './archive.ts'
import { memberText, openZip, parseXmlMember, type ZipFile } from './zip-file.ts'

/** `main` is the member with the document itself. */
type ZipReader = (context: ReaderContext, zip: ZipFile, main: string) => Promise<void>

const OFFICE: readonly [member: RegExp, kind: string, reader: ZipReader][] = [
  [/^word\/.*\.xml$/, 'docx', readDocx],
  [/^ppt\/.*\.xml$/, 'pptx', readPptx],
  [/^xl\/.*\.xml$/, 'xlsx', readXlsx],
  [/^xl\/.*\.bin$/, 'xlsb', readXlsb],
]
const ODF = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/
const ODF_KINDS: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }

export async function readZip(context: ReaderContext): Promise<void> {
  const zip = await openZip(context.bytes, context.budget)
  const { kind, reader: zipReader, main = '' } = await detectZipFormat(zip)
  context.facts({ kind })
  await zipReader(context, zip, main)
}

async function detectZipFormat(zip: ZipFile): Promise<{ kind: string; reader: ZipReader; main?: string }> {
  if (zip.find('[Content_Types].xml') !== undefined) {
    const main = await findMainMember(zip)
    for (const [member, kind, reader] of OFFICE)
      if (main !== undefined && member.test(main)) return { kind, reader, main }
  }
  const mimetype = zip.find('mimetype')
  const type = mimetype === undefined ? await readRootType(zip) : (await memberText(mimetype)).trim()
  const odf = ODF_KINDS[ODF.exec(type)?.[1] ?? '']
  if (odf !== undefined) return { kind: odf, reader: readOdf }
  return type.startsWith('application/epub+zip')
    ? { kind: 'epub', reader: readEpub }
    : { kind: 'zip', reader: readArchive }
}

/** The type of the document as the manifest of an OpenDocument file has it, for files without a `mimetype`. */
async function readRootType(zip: ZipFile): Promise<string> {
  const manifest = zip.find('META-INF/manifest.xml')
  let type = ''
  if (manifest !== undefined && !manifest.isEncrypted)
    await parseXmlMember(manifest, {
      open(name, attributes) {
        if (name === 'file-entry' && attributeNamed(attributes, 'full-path') === '/')
          type = attributeNamed(attributes, 'media-type') ?? ''
      },
    })
  return type
}

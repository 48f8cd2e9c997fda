// The speed of reading files in separate processes, compared with the PDF library in this process, in turns.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init } from '@embedpdf/pdfium'
import { createExtractor, type Extractor } from '../src/extract/extract.ts'
import { documentXml, docx } from '../test/extract/office-files.ts'
import { pdf } from '../test/extract/pdf-writer.ts'
import { seeded } from '../test/random.ts'
import type { BenchSettings } from './bench.ts'
import { print, progress, table } from './output.ts'
import { median } from './statistics.ts'

const CASES = [
  { label: 'PDF, 500 pages', pages: 500, files: 1 },
  { label: 'PDF, 10 pages', pages: 10, files: 40 },
  { label: 'PDF, 1 page', pages: 1, files: 200 },
]
const LINES = 45
const WORDS = 11

export async function run({ rounds }: BenchSettings): Promise<void> {
  const extractor = createExtractor({ processes: 1 })
  const countPlainCharacters = await openPdfLibrary()
  const bar = progress('extract', CASES.length * rounds)
  try {
    const rows: (string | number)[][] = []
    for (const { label, pages, files } of CASES) {
      const file = paper(pages)
      const figures = { ours: [] as number[], theirs: [] as number[] }
      if ((await charactersOf(extractor, file, 'a.pdf')) < pages * LINES * WORDS) throw new Error('Text is missing.')
      for (let round = 0; round < rounds; round++) {
        figures.theirs.push(await perSecond(pages * files, files, async () => void countPlainCharacters(file)))
        figures.ours.push(await perSecond(pages * files, files, () => charactersOf(extractor, file, 'a.pdf')))
        bar.step()
      }
      const ratio = median(figures.ours.map((it, at) => it / figures.theirs[at]!))
      rows.push([label, Math.round(median(figures.ours)), Math.round(median(figures.theirs)), ratio.toFixed(2)])
    }
    bar.end()
    print(table(['', 'pages/s', 'library alone', 'ratio'], rows))
    print('')
    print(table(['', 'files/s', 'MB/s'], await measureOtherFormats(extractor, rounds)))
  } finally {
    await extractor.close()
  }
}

/** Pages of 3,000 characters with random words. */
function paper(pages: number): Buffer {
  const random = seeded(pages)
  return pdf(Array.from({ length: pages }, () => ({ text: letter(random) })))
}

function letter(random: ReturnType<typeof seeded>): string {
  const word = () => Array.from({ length: 2 + random.below(8) }, () => 'etaoinshrdlu'[random.below(12)]).join('')
  const line = () => Array.from({ length: WORDS }, word).join(' ')
  return Array.from({ length: LINES }, line).join('\n')
}

async function charactersOf(extractor: Extractor, bytes: Buffer, file_name: string): Promise<number> {
  const { report } = await extractor.extract({ source: { bytes }, file_name, signal: AbortSignal.timeout(600_000) })
  if (report.verdict !== 'ok') throw new Error(`${file_name}: ${JSON.stringify(report.warnings)}`)
  return report.characters
}

async function perSecond(units: number, times: number, act: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  for (let time = 0; time < times; time++) await act()
  return (units / (performance.now() - begin)) * 1_000
}

/** Reads the text of every page with the minimal library calls, in this process. */
async function openPdfLibrary(): Promise<(file: Buffer) => number> {
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')))
  const library = await init({ wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length) })
  library.PDFiumExt_Init()
  // Its type declaration needs a package that only builds install.
  const memory = library.pdfium as unknown as {
    HEAPU8: Uint8Array
    wasmExports: { malloc(size: number): number; free(at: number): void }
  }
  return (file) => {
    const at = memory.wasmExports.malloc(file.length)
    memory.HEAPU8.set(file, at)
    const document = library.FPDF_LoadMemDocument(at, file.length, '')
    let characters = 0
    for (let number = library.FPDF_GetPageCount(document) - 1; number >= 0; number--) {
      const page = library.FPDF_LoadPage(document, number)
      const text = library.FPDFText_LoadPage(page)
      const count = library.FPDFText_CountChars(text)
      const buffer = memory.wasmExports.malloc(count * 2 + 2)
      library.FPDFText_GetText(text, 0, count, buffer)
      characters += Buffer.from(memory.HEAPU8.buffer, buffer, count * 2).toString('utf16le').length
      memory.wasmExports.free(buffer)
      library.FPDFText_ClosePage(text)
      library.FPDF_ClosePage(page)
    }
    library.FPDF_CloseDocument(document)
    memory.wasmExports.free(at)
    return characters
  }
}

async function measureOtherFormats(extractor: Extractor, rounds: number): Promise<(string | number)[][]> {
  const random = seeded(1)
  const lines = Array.from({ length: 20 }, () => letter(random)).flatMap((it) => it.split('\n'))
  const files: [label: string, name: string, bytes: Buffer][] = [
    ['HTML, 60 kB', 'a.html', Buffer.from(`<!doctype html><main>${lines.map((it) => `<p>${it}</p>`).join('')}</main>`)],
    ['Markdown, 60 kB', 'a.md', Buffer.from(lines.join('\n\n'))],
    [
      'DOCX, 60 kB of text',
      'a.docx',
      docx(documentXml(lines.map((it) => `<w:p><w:r><w:t>${it}</w:t></w:r></w:p>`).join(''))),
    ],
    ['text, 60 kB', 'a.txt', Buffer.from(lines.join('\n'))],
  ]
  const rows: (string | number)[][] = []
  for (const [label, name, bytes] of files) {
    const size = Buffer.byteLength(lines.join('\n'))
    const speeds: number[] = []
    await charactersOf(extractor, bytes, name)
    for (let round = 0; round < rounds; round++)
      speeds.push(await perSecond(50, 50, () => charactersOf(extractor, bytes, name)))
    rows.push([label, Math.round(median(speeds)), ((median(speeds) * size) / 1e6).toFixed(1)])
  }
  return rows
}

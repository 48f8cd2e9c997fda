// Texts that a slide, a sheet or a document refers to: charts, diagrams, comments and embedded files.
import { readMember, warnMemberSkipped } from '../../archive/archive.ts'
import type { ZipFile } from '../../archive/zip-file.ts'
import { chargeBudget, type ReaderContext } from '../../reader.ts'
import { readRelationships } from '../office-package.ts'
import { readChart } from './chart.ts'
import { readDrawingLines } from './drawing-lines.ts'

export interface RelatedTexts {
  charts: { title: string | null; lines: string[] }[]
  /** The lines of all diagrams (SmartArt). */
  diagrams: string[]
  comments: string[]
  /** Names of the embedded files of Office formats. Data of a chart is no file of its own. */
  files: string[]
}

/** In the order of the relationships. A member that several of them name is read once. */
export async function readRelatedTexts(context: ReaderContext, zip: ZipFile, name: string): Promise<RelatedTexts> {
  const found: RelatedTexts = { charts: [], diagrams: [], comments: [], files: [] }
  const seen = new Set<string>()
  for (const { type, target } of (await readRelationships(zip, name)).values()) {
    if (seen.has(target)) continue
    seen.add(target)
    if (type === 'chart' || type === 'chartEx') {
      const chart = await readChart(context, zip.find(target))
      if (chart !== null && (chart.title !== null || chart.lines.length > 0)) found.charts.push(chart)
    } else if (type === 'diagramData') found.diagrams.push(...(await readDrawingLines(context, zip.find(target))))
    else if (type === 'comments') found.comments.push(...(await readDrawingLines(context, zip.find(target))))
    else if (type === 'package') found.files.push(target)
  }
  return found
}

/** Each chart after its title, then the diagrams. */
export const graphicLines = ({ charts, diagrams }: Pick<RelatedTexts, 'charts' | 'diagrams'>): string[] => [
  ...charts.flatMap(({ title, lines }) => ['', title === null ? 'Chart:' : `Chart: ${title}`, ...lines]),
  ...(diagrams.length > 0 ? ['', 'Diagram:', ...diagrams] : []),
]

/** Reads embedded files as parts, with the limits of archives. */
export async function readEmbeddedFiles(context: ReaderContext, zip: ZipFile, names: Iterable<string>): Promise<void> {
  for (const name of new Set(names)) {
    const member = zip.find(name)
    if (member === undefined) continue
    chargeBudget(context.budget, 'members')
    const file = name.slice(name.lastIndexOf('/') + 1)
    if (isTooDeep(context)) {
      warnMemberSkipped(context, file, 'it exceeds the nesting limit')
      context.warn('limit_hit', 'depth')
    } else await readMember(context, { ...member, name: file })
  }
}

const isTooDeep = ({ depth, budget }: ReaderContext): boolean => depth >= budget.limits.depth

// What all Office Open XML files have in common: relationships between members, and properties.
import { readProperties } from './properties.ts'
import type { Facts, Reading } from './reading.ts'
import { type Attributes, attribute } from './xml-events.ts'
import { xmlOf, type ZipFile } from './zip-file.ts'

export interface Relationship {
  type: string
  /** Name of the member it leads to. */
  target: string
}

/** By id. What leads out of the file is left out: nothing is ever fetched. */
export async function relationshipsOf(zip: ZipFile, name: string): Promise<Map<string, Relationship>> {
  const [folder, file] = splitName(name)
  const found = new Map<string, Relationship>()
  const member = zip.find(`${folder}_rels/${file}.rels`)
  if (member === undefined) return found
  await xmlOf(member, {
    open(element, attributes) {
      const id = attribute(attributes, 'Id')
      const target = attribute(attributes, 'Target')
      if (element !== 'Relationship' || id === undefined || target === undefined) return
      if (attribute(attributes, 'TargetMode') === 'External') return
      const type = (attribute(attributes, 'Type') ?? '').split('/').at(-1) ?? ''
      found.set(id, { type, target: resolveName(folder, target) })
    },
  })
  return found
}

/** What holds the document itself; programs on the web give it other names than those on a desk. */
export async function mainMember(zip: ZipFile): Promise<string | undefined> {
  for (const { type, target } of (await relationshipsOf(zip, '')).values())
    if (type === 'officeDocument' && zip.find(target) !== undefined) return target
  return MAIN.find((it) => zip.find(it) !== undefined)
}

const MAIN = ['word/document.xml', 'ppt/presentation.xml', 'xl/workbook.xml']

/** The attribute that names a relationship: beside it an element may have an `id` of its own. */
export const relationshipId = (attributes: Attributes): string =>
  Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? ''

function splitName(name: string): [folder: string, file: string] {
  const at = name.lastIndexOf('/') + 1
  return [name.slice(0, at), name.slice(at)]
}

/** Of a name as it stands in a member of that folder. */
export function resolveName(folder: string, target: string): string {
  const steps: string[] = []
  for (const step of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

const CORE: Readonly<Record<string, keyof Facts>> = {
  title: 'title',
  creator: 'author',
  created: 'created',
  modified: 'modified',
  language: 'language',
}

export const readCoreProperties = (zip: ZipFile, reading: Reading): Promise<void> =>
  readProperties(reading, zip.find('docProps/core.xml'), CORE)

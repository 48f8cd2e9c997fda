// Shared parts of Office Open XML: relationships and properties.

import { parseXmlMember, type ZipFile } from '../archive/zip-file.ts'
import type { DocumentFacts, ReaderContext } from '../reader.ts'
import { type Attributes, attributeNamed } from '../xml/xml-parser.ts'
import { readProperties } from './properties.ts'

export interface Relationship {
  type: string
  /** Name of the target member. */
  target: string
}

/** Relationships by id. External targets are omitted: nothing is ever fetched. */
export async function readRelationships(zip: ZipFile, name: string): Promise<Map<string, Relationship>> {
  const [folder, file] = splitName(name)
  const found = new Map<string, Relationship>()
  const member = zip.find(`${folder}_rels/${file}.rels`)
  if (member === undefined) return found
  await parseXmlMember(member, {
    open(element, attributes) {
      const id = attributeNamed(attributes, 'Id')
      const target = attributeNamed(attributes, 'Target')
      if (element !== 'Relationship' || id === undefined || target === undefined) return
      if (attributeNamed(attributes, 'TargetMode') === 'External') return
      const type = (attributeNamed(attributes, 'Type') ?? '').split('/').at(-1) ?? ''
      found.set(id, { type, target: resolveMemberName(folder, target) })
    },
  })
  return found
}

/** Finds the member with the document. Web editors use other names than desktop programs. */
export async function findMainMember(zip: ZipFile): Promise<string | undefined> {
  for (const { type, target } of (await readRelationships(zip, '')).values())
    if (type === 'officeDocument' && zip.find(target) !== undefined) return target
  return MAIN_MEMBERS.find((it) => zip.find(it) !== undefined)
}

const MAIN_MEMBERS = ['word/document.xml', 'ppt/presentation.xml', 'xl/workbook.xml', 'xl/workbook.bin']

/** The relationship id (`r:id`). An element may also have its own `id`. */
export const relationshipId = (attributes: Attributes): string =>
  Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? ''

function splitName(name: string): [folder: string, file: string] {
  const at = name.lastIndexOf('/') + 1
  return [name.slice(0, at), name.slice(at)]
}

/** Resolves a target relative to the folder of its member. */
export function resolveMemberName(folder: string, target: string): string {
  const steps: string[] = []
  for (const step of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

const CORE_PROPERTIES: Readonly<Record<string, keyof DocumentFacts>> = {
  title: 'title',
  creator: 'author',
  created: 'created',
  modified: 'modified',
  language: 'language',
}

export const readCoreProperties = (zip: ZipFile, context: ReaderContext): Promise<void> =>
  readProperties(context, zip.find('docProps/core.xml'), CORE_PROPERTIES)

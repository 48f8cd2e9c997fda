// Reads an XML list such as a sitemap in a separate process.
import { z } from 'zod'
import type { ConnectorContext } from '../connector.ts'
import { reasonForNoText } from './read-file-text.ts'

export interface XmlList {
  /** The name of the root element, or null if there is none. */
  root: string | null
  isWhole: boolean
  /** Why the list is incomplete. */
  reason: string | null
  records: { name: string; fields: Record<string, string> }[]
  /** Children of the root that contain only text. */
  values: Record<string, string>
}

const XmlListEntry = z.union([z.string(), z.record(z.string(), z.string())])

/** Decodes the sections that `extract/xml/xml-records.ts` writes. */
export async function readXmlList(bytes: Buffer, { extract }: Pick<ConnectorContext, 'extract'>): Promise<XmlList> {
  const { sections, report } = await extract({ bytes, name: 'list.xml', mediaType: null, as: 'records' })
  const reason = report.verdict === 'ok' ? null : reasonForNoText(report)
  const list: XmlList = { root: sections[0]?.heading ?? null, isWhole: false, reason, records: [], values: {} }
  for (const { heading, text } of sections.slice(1)) {
    const value = XmlListEntry.parse(JSON.parse(text))
    const name = heading ?? ''
    if (typeof value !== 'string') list.records.push({ name, fields: value })
    else if (name === list.root) list.isWhole = value === 'whole'
    else list.values[name] = value
  }
  return list
}

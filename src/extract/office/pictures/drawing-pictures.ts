// Finds the pictures that Office Open XML shows: DrawingML (ECMA-376 part 1, 20.1.8.13) and the older VML.
import { parseXmlMember, type ZipFile } from '../../archive/zip-file.ts'
import { type Attributes, attributeNamed, type XmlHandlers } from '../../xml/xml-parser.ts'
import { type Relationship, readRelationships, relationshipId } from '../office-package.ts'

/** The member of the picture, and its alternative text. */
export type OnPicture = (member: string, alternative: string) => void

/** Calls `onPicture` for each picture that is not marked as decoration, while another handler reads the member. */
export function withDrawingPictures(
  handlers: XmlHandlers,
  relationships: ReadonlyMap<string, Relationship>,
  onPicture: OnPicture,
): XmlHandlers {
  let alternative = ''
  let isDecoration = false
  let ignoredDepth = 0
  const show = (id: string) => {
    const found = relationships.get(id)
    if (found?.type === 'image' && !isDecoration && ignoredDepth === 0) onPicture(found.target, alternative)
  }
  return {
    open(name, attributes) {
      if (name === 'Fallback') ignoredDepth++
      else if (name === 'docPr' || name === 'cNvPr') {
        // A drawing in a text states its alternative text twice.
        alternative = alternativeOf(attributes) || (name === 'cNvPr' ? alternative : '')
      } else if (name === 'decorative') isDecoration = /^(?:1|true)$/.test(attributeNamed(attributes, 'val') ?? '')
      else if (name === 'shape') alternative = attributeNamed(attributes, 'alt') ?? ''
      else if (name === 'blip') show(attributeNamed(attributes, 'embed') ?? '')
      else if (name === 'imagedata') show(relationshipId(attributes))
      handlers.open?.(name, attributes)
    },
    text: (piece) => handlers.text?.(piece),
    close(name) {
      if (name === 'Fallback') ignoredDepth--
      if (DRAWINGS.has(name)) {
        alternative = ''
        isDecoration = false
      }
      handlers.close?.(name)
    },
  }
}

const alternativeOf = (attributes: Attributes): string => attributeNamed(attributes, 'descr') ?? ''

/** The end of such an element ends the alternative text, too. */
const DRAWINGS = new Set(['drawing', 'pict', 'pic', 'sp', 'graphicFrame', 'cxnSp', 'grpSp'])

/** The pictures of a member that has no other handler, such as the drawing of a sheet. */
export async function readDrawingPictures(zip: ZipFile, name: string, onPicture: OnPicture): Promise<void> {
  const relationships = await readRelationships(zip, name)
  const member = zip.find(name)
  if (member === undefined || ![...relationships.values()].some((it) => it.type === 'image')) return
  await parseXmlMember(member, withDrawingPictures({}, relationships, onPicture))
}

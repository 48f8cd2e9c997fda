// How a result is named.
import type { Hit } from './use-results.ts'

/** The title, unless it only adds something to the name of the document: of a web page the name of its site. */
export const hitName = ({ title, semantic_identifier: name }: Pick<Hit, 'title' | 'semantic_identifier'>): string =>
  name !== '' && (title.startsWith(name) || title.endsWith(name)) ? name : title

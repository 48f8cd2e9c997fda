// What sources of files have in common: which are not even fetched, and how one becomes sections of a document.
import type { SourceDocument } from './connector.ts'
import type { FileText } from './read-file.ts'

/** What has no text, by its name. */
export const NEVER_READ =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|psd|mp[34]|m4[av]|mov|avi|mkv|webm|wav|flac|ogg|woff2?|ttf|otf|eot|exe|dll|so|dylib|a|o|class|jar|wasm|pyc|bin|dat|db|sqlite|parquet|pack|idx|gpg|p12|jks|iso|dmg)$/i

/** These are told by their names. */
const DOCUMENT =
  /\.(?:html?|xhtml|mdx?|csv|tsv|jsonl?|xml|ya?ml|rtf|eml|msg|svg|pdf|doc[xm]?|ppt[xm]?|xls[xm]?|od[tsp]|epub|ipynb|zip|tar|t?gz)$/i

/** Any other file without zeros is text, whatever language it is written in. Null leaves it to its name. */
export const textTypeOf = (name: string, bytes: Buffer): string | null =>
  DOCUMENT.test(name) || bytes.subarray(0, 8_192).includes(0) ? null : 'text/plain; charset=utf-8'

/** What lies in an archive or hangs on a mail is named in the headings. */
export function sectionsOf(
  { sections, parts }: Extract<FileText, { kind: 'text' }>,
  link: string | null,
): SourceDocument['sections'] {
  return [
    ...sections.map(({ heading, text }) => ({ heading, text, link })),
    ...parts.flatMap((part) =>
      part.sections.map(({ heading, text }) => ({
        heading: heading === null ? part.name : `${part.name}: ${heading}`,
        text,
        link,
      })),
    ),
  ]
}

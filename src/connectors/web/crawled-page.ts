// A page of a crawl, as it was read.
import type { CrawlInfo as PageFacts } from '../../extract/extract.ts'
import type { FileSection } from '../connector.ts'

export interface CrawledPage extends PageFacts {
  title: string | null
  sections: FileSection[]
}

export interface PageNote {
  etag?: string
  modified?: string
  links: string[]
  /** The texts of the links, each with the index of its target. Absent in notes of older versions. */
  names?: [target: number, text: string][]
  /** Hash of title and text. */
  hash?: string
}

/** Applies the X-Robots-Tag header like the page's robots meta element. */
export function withRobotsHeader(page: CrawledPage, header: string): CrawledPage {
  const directives = header.toLowerCase().split(/[\s,]+/)
  const isNone = directives.includes('none')
  return {
    ...page,
    isIndexed: page.isIndexed && !isNone && !directives.includes('noindex'),
    isFollowed: page.isFollowed && !isNone && !directives.includes('nofollow'),
  }
}

export function fileNameOf(url: string): string {
  const name = new URL(url).pathname.split('/').at(-1) || 'file'
  try {
    return decodeURIComponent(name)
  } catch {
    // Not every path is valid UTF-8.
    return name
  }
}

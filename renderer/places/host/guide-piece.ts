import { toExternalHref } from '../../../shared/external-link.ts'
import type { GuideOp, Opening } from '../../stores/guide.ts'

/** A heading of the guide, for the outline. */
export interface GuideHeading {
  readonly level: number
  readonly text: string
  readonly id: string
}

/** Nothing that loads, runs, styles or sends: text, structure, and links only the app itself may follow. */
const allowedTags = new Set(
  'h1 h2 h3 h4 h5 h6 p ul ol li table thead tbody tr th td pre code em strong s blockquote hr br a'.split(' '),
)

const isWebLink = (url: string): boolean => /^https?:\/\//i.test(url.trim())

/** The section of the guide a link refers to: its fragment, or the name of the neighbouring file. Null for a web link. */
function sectionOf(href: string): string | null {
  if (isWebLink(href)) return null
  const [path = '', fragment = ''] = href.split(/#(.*)/s)
  const file = (path.split('?')[0] ?? '').split('/').filter(Boolean).at(-1) ?? ''
  const name = fragment === '' ? file.replace(/\.(?:md|markdown|html?)$/i, '') : fragment
  try {
    return decodeURIComponent(name).toLowerCase()
  } catch {
    return name.toLowerCase()
  }
}

/** Names headings as Markdown viewers do, so that links find them: lower case, no punctuation, hyphens for spaces. */
export class SlugGenerator {
  readonly #used = new Map<string, number>()

  /** A different one each time, even for the same text. */
  createSlug(text: string): string {
    const plain = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replace(/ /g, '-')
    const times = this.#used.get(plain) ?? 0
    this.#used.set(plain, times + 1)
    return times === 0 ? plain : `${plain}-${times}`
  }
}

/** Prefix of heading ids: they are foreign, and must not collide with an element of ours. */
export const HEADING_ID_PREFIX = 'guide-'

/** Turns a section of the guide into a link to it. */
export type SectionLinkBuilder = (section: string) => string

/**
 * A piece of the guide as a document fragment, built element by element: nothing foreign is ever parsed as HTML. An element that is not
 * allowed is dropped, its text kept. Links within the guide go to `sectionLink`, web links stay as they are, others go nowhere. Headings
 * get ids, and are returned.
 */
export function buildGuidePiece(
  ops: readonly GuideOp[],
  slugs: SlugGenerator,
  sectionLink: SectionLinkBuilder,
): { fragment: DocumentFragment; headings: readonly GuideHeading[] } {
  const fragment = document.createDocumentFragment()
  const headings: GuideHeading[] = []
  const open: Node[] = [fragment]
  for (const op of ops) {
    const parent = open.at(-1) ?? fragment
    if (typeof op === 'string') parent.appendChild(document.createTextNode(op))
    else if (op !== null) open.push(allowedTags.has(op.tag) ? parent.appendChild(elementOf(op, sectionLink)) : parent)
    else if (open.length > 1) {
      const done = open.pop()
      if (done instanceof HTMLHeadingElement && done !== open.at(-1)) headings.push(named(done, slugs))
    }
  }
  return { fragment, headings }
}

function elementOf({ tag, href, start }: Opening, sectionLink: SectionLinkBuilder): HTMLElement {
  const element = document.createElement(tag)
  // Anything that scrolls sideways must be reachable by keyboard.
  if (tag === 'pre') element.tabIndex = 0
  if (tag === 'ol' && start !== undefined) element.setAttribute('start', String(start))
  if (tag === 'a' && href !== undefined) {
    const section = sectionOf(href)
    // Matters for the browser's own context menu, too: an address that would not be opened is not a link.
    const outside = section === null ? toExternalHref(href) : null
    if (outside !== null) element.setAttribute('href', outside)
    else if (section) element.setAttribute('href', sectionLink(section))
  }
  return element
}

function named(heading: HTMLHeadingElement, slugs: SlugGenerator): GuideHeading {
  const text = heading.textContent.trim()
  heading.id = `${HEADING_ID_PREFIX}${slugs.createSlug(text)}`
  return { level: Number(heading.tagName.slice(1)), text, id: heading.id }
}

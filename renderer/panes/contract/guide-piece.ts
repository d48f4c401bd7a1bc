import { toExternalHref } from '../../../shared/external-link.ts'
import type { GuideStep, Opening } from '../../stores/guide.ts'

/** A heading of the guide; `level` is 1 to 6, and `id` the id of its element. */
export interface GuideHeading {
  readonly level: number
  readonly text: string
  readonly id: string
}

/** Tags for text, structure and links. None of them loads, runs, styles or sends anything. */
const allowedTags = new Set(
  'h1 h2 h3 h4 h5 h6 p ul ol li table thead tbody tr th td pre code em strong s blockquote hr br a'.split(' '),
)

const isWebLink = (url: string): boolean => /^https?:\/\//i.test(url.trim())

/** The link's fragment, or the name of a neighboring file. Null for a web link. */
function parseSection(href: string): string | null {
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

/** Ids by the rules of Markdown viewers: lower case, no punctuation, hyphens for spaces. */
export class SlugGenerator {
  readonly #counts = new Map<string, number>()

  createSlug(text: string): string {
    const slug = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replace(/ /g, '-')
    const count = this.#counts.get(slug) ?? 0
    this.#counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

/** Heading ids come from the host's text; the prefix separates them from our own. */
export const HEADING_ID_PREFIX = 'guide-'

/** Returns null if sections have no address. */
export type SectionLinkBuilder = (section: string) => string | null

/**
 * Builds a piece of the guide as a document fragment, element by element, so that no foreign text
 * is ever parsed as HTML. Elements that are not allowed are replaced by their content. Links within
 * the guide get the address from `sectionLink`, web links keep theirs, and all others lose it.
 * @returns the fragment, and its headings with their new ids.
 */
export function buildGuidePiece(
  steps: readonly GuideStep[],
  slugs: SlugGenerator,
  sectionLink: SectionLinkBuilder,
): { fragment: DocumentFragment; headings: readonly GuideHeading[] } {
  const fragment = document.createDocumentFragment()
  const headings: GuideHeading[] = []
  const openNodes: Node[] = [fragment]
  for (const step of steps) {
    const parent = openNodes.at(-1) ?? fragment
    if (typeof step === 'string') parent.appendChild(document.createTextNode(step))
    else if (step !== null)
      openNodes.push(allowedTags.has(step.tag) ? parent.appendChild(createElement(step, sectionLink)) : parent)
    else if (openNodes.length > 1) {
      const closedNode = openNodes.pop()
      if (closedNode instanceof HTMLHeadingElement && closedNode !== openNodes.at(-1))
        headings.push(addHeadingId(closedNode, slugs))
    }
  }
  return { fragment, headings }
}

function createElement({ tag, href, start }: Opening, sectionLink: SectionLinkBuilder): HTMLElement {
  const element = document.createElement(tag)
  // An element that scrolls sideways must be reachable by keyboard.
  if (tag === 'pre') element.tabIndex = 0
  if (tag === 'ol' && start !== undefined) element.setAttribute('start', String(start))
  if (tag === 'a' && href !== undefined) {
    const section = parseSection(href)
    // The context menu opens any address, so those that the program would not are removed.
    const address = section === null ? toExternalHref(href) : section && sectionLink(section)
    if (address) element.setAttribute('href', address)
  }
  return element
}

function addHeadingId(heading: HTMLHeadingElement, slugs: SlugGenerator): GuideHeading {
  const text = heading.textContent.trim()
  heading.id = `${HEADING_ID_PREFIX}${slugs.createSlug(text)}`
  return { level: Number(heading.tagName.slice(1)), text, id: heading.id }
}

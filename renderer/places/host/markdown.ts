import { externalHref } from '../../../shared/external.ts'
import type { GuideOp, Opening } from '../../stores/guide.ts'

/** A heading of the guide, for its outline. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly id: string
}

/** Nothing that loads, runs, styles or sends: text, structure and links that only the app itself may follow. */
const allowedTags = new Set(
  'h1 h2 h3 h4 h5 h6 p ul ol li table thead tbody tr th td pre code em strong s blockquote hr br a'.split(' '),
)

const isWebLink = (url: string): boolean => /^https?:\/\//i.test(url.trim())

/** The place in the guide that a link of it means: its fragment, or the name of the file beside it. Null for a link to the web. */
export function sectionOf(href: string): string | null {
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

/** Names headings as Markdown viewers do, so that links find them: lower case, without marks, hyphens for spaces. */
export class Slugs {
  readonly #used = new Map<string, number>()

  /** Another one each time, also for the same text. */
  of(text: string): string {
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

/** Ids of headings begin so: they are foreign, and must not stand for an element of ours. */
export const HEADING = 'guide-'

/** Links within the guide, by the section that they lead to. */
export type SectionLink = (section: string) => string

/**
 * A piece of the guide as a document fragment, made element by element: nothing foreign is ever parsed as HTML. An element that is not
 * allowed is left out, its text stays. Links within the guide lead to `sectionLink`, those to the web as they are, others nowhere.
 * Headings get ids, and are returned.
 */
export function buildPiece(
  ops: readonly GuideOp[],
  slugs: Slugs,
  sectionLink: SectionLink,
): { fragment: DocumentFragment; headings: readonly Heading[] } {
  const fragment = document.createDocumentFragment()
  const headings: Heading[] = []
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

function elementOf({ tag, href, start }: Opening, sectionLink: SectionLink): HTMLElement {
  const element = document.createElement(tag)
  // What scrolls sideways must be reachable by keyboard.
  if (tag === 'pre') element.tabIndex = 0
  if (tag === 'ol' && start !== undefined) element.setAttribute('start', String(start))
  if (tag === 'a' && href !== undefined) {
    const section = sectionOf(href)
    // Also for those who open it from the browser's own menu: an address that would not be opened is no link.
    const outside = section === null ? externalHref(href) : null
    if (outside !== null) element.setAttribute('href', outside)
    else if (section) element.setAttribute('href', sectionLink(section))
  }
  return element
}

function named(heading: HTMLHeadingElement, slugs: Slugs): Heading {
  const text = heading.textContent.trim()
  heading.id = `${HEADING}${slugs.of(text)}`
  return { level: Number(heading.tagName.slice(1)), text, id: heading.id }
}

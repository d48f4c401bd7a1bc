import DOMPurify from 'dompurify'
import MarkdownIt from 'markdown-it'
import { externalHref } from '../../../shared/external.ts'

/** A heading of the guide, for its outline. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly id: string
}

/** Nothing that loads, runs, styles or sends: text, structure and links that only the app itself may follow. */
const allowedTags = [
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'p',
  'ul',
  'ol',
  'li',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'pre',
  'code',
  'em',
  'strong',
  's',
  'blockquote',
  'hr',
  'br',
  'a',
]

const renderer = new MarkdownIt({ html: false, linkify: false })
renderer.disable('image')
const isWebLink = (url: string): boolean => /^https?:\/\//i.test(url.trim())
// Everything but web addresses becomes text: javascript:, data:, file:, and what the host thinks of next.
renderer.validateLink = isWebLink

/**
 * The guide as a document fragment. The text is foreign: raw HTML stays text, images are not loaded, links carry no target of
 * their own. Headings get ids, and are listed for the outline.
 */
export function renderGuide(markdown: string): { fragment: DocumentFragment; outline: Heading[] } {
  const fragment = DOMPurify.sanitize(renderer.render(markdown), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: ['href', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  const outline = [...fragment.querySelectorAll('h1, h2, h3, h4')].map((heading, at) => {
    heading.id = `guide-${at}`
    return { level: Number(heading.tagName.slice(1)), text: heading.textContent ?? '', id: heading.id }
  })
  // What scrolls sideways must be reachable by keyboard.
  for (const block of fragment.querySelectorAll('pre')) block.tabIndex = 0
  for (const link of fragment.querySelectorAll('a')) {
    // Also for those who open it from the browser's own menu: an address that would not be opened is no link.
    const href = externalHref(link.getAttribute('href') ?? '')
    if (href === null) link.removeAttribute('href')
    else link.setAttribute('href', href)
  }
  return { fragment, outline }
}

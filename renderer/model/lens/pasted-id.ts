import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

/** An id in a pasted text. */
export interface PastedId {
  readonly id: string
  /** It has the form of an id, so nothing else can be meant. */
  readonly isCertain: boolean
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const hex = /^[0-9a-f]{24,}$/i
/** Deep links of hosts and addresses of this program end in the id: `app://note/ID`, `#/notes/ID?tab=raw`. */
const link = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/\s]*#\/)[^\s?]*?\/([^/\s?#]+)(?:\/(?:tree|excerpts|pages))?(?:[?#].*)?$/i

/** The id in a text as it is pasted: bare, in quotes, in Markdown, or at the end of a link. Null if there is none. */
export function findPastedId(text: string): PastedId | null {
  const bare = text.trim().replace(/^["'`“‘([<{]+|["'`”’)\]>},;.]+$/g, '')
  if (bare === '' || bare.length > 200 || /\s/.test(bare)) return null
  const linked = link.exec(bare)?.[1]
  if (linked !== undefined) return { id: decodePercent(linked), isCertain: true }
  if (bare.includes('/')) return null
  if (uuid.test(bare) || hex.test(bare)) return { id: bare, isCertain: true }
  // Of other texts, those with a digit may be one (`run-1`); words are searched for.
  return bare.length >= 3 && /\d/.test(bare) ? { id: bare, isCertain: false } : null
}

import { trimChars } from '../../../shared/format/trim-chars.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

export interface PastedId {
  readonly id: string
  /** True if the text has the form of an id, so that it cannot be a search text. */
  readonly isCertain: boolean
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const hexPattern = /^[0-9a-f]{24,}$/i
/** Links of hosts and of this program end with the id: `app://note/ID`, `#/notes/ID?tab=raw`. */
const linkPattern =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/\s]*#\/)[^\s?]*?\/([^/\s?#]+)(?:\/(?:tree|excerpts|pages))?(?:[?#].*)?$/i

/** Finds an id alone, in quotes, in Markdown or at the end of a link; null if there is none. */
export function findPastedId(text: string): PastedId | null {
  const candidate = trimChars(text.trim(), '"\'`“‘([<{', '"\'`”’)]>},;.')
  if (candidate === '' || candidate.length > 200 || /\s/.test(candidate)) return null
  const linkedId = linkPattern.exec(candidate)?.[1]
  if (linkedId !== undefined) return { id: decodePercent(linkedId), isCertain: true }
  if (candidate.includes('/')) return null
  if (uuidPattern.test(candidate) || hexPattern.test(candidate)) return { id: candidate, isCertain: true }
  // Shorter texts and words without a digit are more likely a search text.
  return candidate.length >= 3 && /\d/.test(candidate) ? { id: candidate, isCertain: false } : null
}

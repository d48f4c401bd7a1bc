import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

export interface PastedId {
  readonly id: string
  /** It has the form of an id, so nothing else can be meant. */
  readonly isCertain: boolean
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const hexPattern = /^[0-9a-f]{24,}$/i
/**
 * Deep links of hosts and addresses of this program end with the id: `app://note/ID`,
 * `#/notes/ID?tab=raw`.
 */
const linkPattern =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|[^/\s]*#\/)[^\s?]*?\/([^/\s?#]+)(?:\/(?:tree|excerpts|pages))?(?:[?#].*)?$/i

/**
 * Finds the id in pasted text: bare, in quotes, in Markdown, or at the end of a link. Null if there
 * is none.
 */
export function findPastedId(text: string): PastedId | null {
  const candidate = text.trim().replace(/^["'`“‘([<{]+|["'`”’)\]>},;.]+$/g, '')
  if (candidate === '' || candidate.length > 200 || /\s/.test(candidate)) return null
  const linkedId = linkPattern.exec(candidate)?.[1]
  if (linkedId !== undefined) return { id: decodePercent(linkedId), isCertain: true }
  if (candidate.includes('/')) return null
  if (uuidPattern.test(candidate) || hexPattern.test(candidate)) return { id: candidate, isCertain: true }
  // Other texts may be ids if they contain a digit (`run-1`); words are searched for instead.
  return candidate.length >= 3 && /\d/.test(candidate) ? { id: candidate, isCertain: false } : null
}

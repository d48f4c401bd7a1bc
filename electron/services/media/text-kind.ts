/**
 * What kind of text a body is. Markup that a browser would treat as a document is distinguished,
 * because it is never sent as one.
 */
type TextKind = 'svg' | 'html' | 'xml' | 'json' | 'plain'

/**
 * The kind of text at the beginning of a body; null if it is not text. `whole` means that there are
 * no further bytes; `called` means that the host declares text, without which only Unicode
 * encodings are accepted.
 */
export function detectTextKind(bytes: Buffer, whole: boolean, called: boolean): TextKind | null {
  const text = decode(bytes, whole, called)
  if (text === null) return null
  const start = afterProlog(text)
  if (/^<svg(?:[\s/>]|$)/i.test(start) || /^<[\w.-]{1,40}:svg(?:[\s/>]|$)/i.test(start)) return 'svg'
  if (
    /^<!doctype\s+html|^<(?:html|head|body|script|iframe|style|title|meta|link|div|p|table|h[1-6]|a|img|br)(?:[\s/>]|$)/i.test(
      start,
    )
  )
    return 'html'
  if (/^\s*<\?xml/i.test(text)) return 'xml'
  return /^[[{]/.test(start) ? 'json' : 'plain'
}

/** Control characters that do not occur in text. */
const binary = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

function decode(bytes: Buffer, whole: boolean, called: boolean): string | null {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  try {
    // With `stream` the last character may be incomplete if more bytes follow.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !whole })
    return binary.test(text) ? null : text
  } catch {
    const text = bytes.toString('latin1')
    return called && encoding === 'utf-8' && !binary.test(text) ? text : null
  }
}

/**
 * The text from its first element on: without declaration, comments, instructions and document
 * type.
 */
function afterProlog(text: string): string {
  let rest = text
  for (let round = 0; round < 100; round += 1) {
    rest = rest.trimStart()
    const end = rest.startsWith('<!--')
      ? after(rest, '-->')
      : rest.startsWith('<?')
        ? after(rest, '?>')
        : /^<!doctype(?!\s+html)/i.test(rest)
          ? afterDoctype(rest)
          : -1
    if (end < 0) return rest
    rest = rest.slice(end)
  }
  return rest
}

const after = (text: string, mark: string): number => {
  const at = text.indexOf(mark)
  return at < 0 ? -1 : at + mark.length
}

/** A document type may contain a subset in brackets, with `>` inside. */
function afterDoctype(text: string): number {
  const bracket = text.indexOf('[')
  const close = text.indexOf('>')
  if (bracket < 0 || close < bracket) return close < 0 ? -1 : close + 1
  const inner = text.indexOf(']', bracket)
  const end = text.indexOf('>', inner)
  return inner < 0 || end < 0 ? -1 : end + 1
}

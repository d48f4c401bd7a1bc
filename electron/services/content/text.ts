/** What a body of text is: markup that a browser would take for a document is told apart, because it is never sent as one. */
export type TextKind = 'svg' | 'html' | 'xml' | 'json' | 'plain'

/**
 * The kind of text that the first bytes are, or null where they are no text. `whole` = there are no further bytes; `called` = the
 * host calls it text, which is what an encoding other than Unicode is believed by.
 */
export function textKind(bytes: Buffer, whole: boolean, called: boolean): TextKind | null {
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

/** Control characters that no text has. */
const binary = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

function decode(bytes: Buffer, whole: boolean, called: boolean): string | null {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  try {
    // `stream` lets the last character be cut off, where more bytes follow.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !whole })
    return binary.test(text) ? null : text
  } catch {
    const text = bytes.toString('latin1')
    return called && encoding === 'utf-8' && !binary.test(text) ? text : null
  }
}

/** The text from its first element on: without declaration, comments, instructions and document type. */
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

/** A document type may hold a subset in brackets, with `>` inside. */
function afterDoctype(text: string): number {
  const bracket = text.indexOf('[')
  const close = text.indexOf('>')
  if (bracket < 0 || close < bracket) return close < 0 ? -1 : close + 1
  const inner = text.indexOf(']', bracket)
  const end = text.indexOf('>', inner)
  return inner < 0 || end < 0 ? -1 : end + 1
}
